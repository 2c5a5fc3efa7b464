"""Two people play on the page, each in a browser of his own, against the whole stack."""

import os
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest
from playwright.sync_api import Browser

from infra.local.stack import Stack
from infra.tools.browser import find_browser
from tests.e2e.browser_support import Person, chromium
from tests.support.recorded_games import RecordedGame, recorded_games
from tests.support.system import start

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

SHORT_GAME = "0e11ba48fe"
"""32 half-moves to mate by Black; both castle."""
BLACK_WINS = "0\N{EN DASH}1"
DRAWN = "½\N{EN DASH}½"
RELOAD_AT = 15
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with start(tmp_path_factory.mktemp("state"), test_clock=False) as stack:
        yield stack


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = find_browser()
    assert path is not None, "No Chromium runs here: `make browser` fetches one"
    with chromium(path) as browser:
        yield browser


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where screenshots go: TABIYA_SCREENSHOTS, where that is set."""
    folder = Path(os.environ.get("TABIYA_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def game() -> RecordedGame:
    return next(game for game in recorded_games() if game.id == SHORT_GAME)


@pytest.fixture
def pair(stack: Stack, browser: Browser) -> Iterator[tuple[Person, Person]]:
    """White at a desk, Black at a telephone in the dark, sitting at one table."""
    white = Person.arrives(browser, stack.url, viewport=DESKTOP, locale="en-GB")
    black = Person.arrives(
        browser, stack.url, viewport=PHONE, locale="en-GB", color_scheme="dark", has_touch=True
    )
    black.follows(white.makes_table("white"))
    white.sees("#board")
    yield white, black
    for person in (white, black):
        person.page.context.close()
        assert person.troubles == []


def test_two_people_play_a_game_to_mate_by_drag_and_by_clicks_with_a_reload_in_the_middle(
    pair: tuple[Person, Person], game: RecordedGame, pictures: Path
) -> None:
    white, black = pair
    for ply, uci in enumerate(game.ucis):
        mover = pair[ply % 2]
        mover.is_to_move()
        if ply == RELOAD_AT:
            mover.reloads()
            mover.is_to_move()
        mover.drags(uci) if mover is white else mover.clicks(uci)
        for person in pair:
            person.sees_moves(ply + 1)
        if ply == RELOAD_AT:
            white.photographs(pictures / "middle-white.png")
            black.photographs(pictures / "middle-black.png")
    assert white.waits_for_result() == f"You lost · {BLACK_WINS} Checkmate"
    assert black.waits_for_result() == f"You won · {BLACK_WINS} Checkmate"
    for person in pair:
        assert person.placement() == placement(game.case["final_fen"])
    white.photographs(pictures / "mate-white.png")
    black.photographs(pictures / "mate-black.png")


def test_a_draw_is_agreed_and_the_rematch_changes_colours(pair: tuple[Person, Person]) -> None:
    white, black = pair
    for ply, uci in enumerate(("e2e4", "e7e5")):
        pair[ply].is_to_move()
        pair[ply].clicks(uci)
        for person in pair:
            person.sees_moves(ply + 1)
    white.presses("Offer draw")
    black.presses("Accept")
    assert white.waits_for_result() == black.waits_for_result() == f"Draw · {DRAWN} Agreed by both"
    black.presses("Rematch")
    white.presses("Accept")
    black.is_to_move()
    black.clicks("d2d4")
    white.is_to_move()
    assert white.man_on("d4") == "P"


def test_a_pawn_becomes_what_its_player_chooses(pair: tuple[Person, Person]) -> None:
    white, black = pair
    line = ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "h7h6", "b7a8n"]
    for ply, uci in enumerate(line):
        pair[ply % 2].is_to_move()
        pair[ply % 2].clicks(uci)
        black.sees_moves(ply + 1)
    assert white.man_on("a8") == black.man_on("a8") == "N"


def test_resigning_is_asked_twice_and_loses(pair: tuple[Person, Person]) -> None:
    white, black = pair
    for ply, uci in enumerate(("e2e4", "e7e5")):
        pair[ply].is_to_move()
        pair[ply].clicks(uci)
        for person in pair:
            person.sees_moves(ply + 1)
    white.presses("Resign")
    white.page.click("#confirm-yes")
    assert black.waits_for_result() == f"You won · {BLACK_WINS} White resigned"
    assert white.waits_for_result() == f"You lost · {BLACK_WINS} White resigned"


def test_an_unknown_code_is_refused_in_the_words_of_the_page(
    stack: Stack, browser: Browser
) -> None:
    person = Person.arrives(browser, stack.url, locale="nl-NL")
    person.page.fill("#code", "QQQQQQ")
    person.presses("Meespelen")
    person.sees("#toast")
    assert person.reads("#toast") == "Die tafel bestaat niet. Controleer de code."
    person.page.context.close()


def placement(fen: str) -> dict[str, str]:
    """Every man of a position, by square."""
    men = chess.Board(fen).piece_map()
    return {chess.square_name(square): man.symbol() for square, man in men.items()}
