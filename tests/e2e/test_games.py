"""Real games through the whole stack: two sockets each, judged, timed and stored by the server."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from infra.local.stack import Stack
from shared.game.packing import unpack_thinks
from shared.game.rulesets import RULESETS
from tests.support.recorded_games import RecordedGame, SideName, Turn, recorded_games, side_on_move
from tests.support.stored import Stored
from tests.support.system import start
from tests.support.whole_games import LATEST_MS, PATIENCE_MS, SIDES, Played, news_from, play_all

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

FIRST_NEWS = 3
"""Made is 1, seated is 2, the first move is 3."""
FIRST_PLIES_MS = 60_000
GAMES = recorded_games()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with start(tmp_path_factory.mktemp("state")) as stack:
        yield stack


@pytest.fixture(scope="module")
def stored(stack: Stack) -> Stored:
    return Stored(stack)


@pytest.fixture(scope="module")
def played(stack: Stack, stored: Stored) -> dict[str, Played]:
    """Every game, played once."""
    playing = play_all(GAMES, stack.websocket_url, stack, stored.set_clock)
    return {one.game.id: one for one in asyncio.run(playing)}


def by_id(game: RecordedGame) -> str:
    return game.id


@pytest.mark.parametrize("game", GAMES, ids=by_id)
def test_both_players_see_every_move_and_every_clock_exactly(
    game: RecordedGame, played: dict[str, Played]
) -> None:
    one = whole(played[game.id])
    for side in SIDES:
        moves = [news for news in news_from(one.heard[side], FIRST_NEWS) if "uci" in news]
        assert [seen(move) for move in moves] == [expected(one, turn, side) for turn in game.turns]


@pytest.mark.parametrize("game", GAMES, ids=by_id)
def test_no_event_is_missing_or_told_twice(game: RecordedGame, played: dict[str, Played]) -> None:
    one = whole(played[game.id])
    for side in SIDES:
        told = [news["v"] for news in news_from(one.heard[side], FIRST_NEWS)]
        assert told == list(range(FIRST_NEWS, FIRST_NEWS + len(told)))
        assert one.final[side]["v"] == told[-1]


@pytest.mark.parametrize("game", GAMES, ids=by_id)
def test_the_game_ends_for_both_as_it_was_recorded(
    game: RecordedGame, played: dict[str, Played]
) -> None:
    one, ending = whole(played[game.id]), game.ending
    for side in SIDES:
        view = one.final[side]["view"]
        assert view["fen"] == game.case["final_fen"]
        assert view["status"] == "over"
        assert view["you"] == side
        assert view["moves"] == game.ucis
        assert "legal" not in view
        assert view["outcome"] == without_none(
            {
                "termination": ending.termination,
                "result": ending.result,
                "at": one.began_at + ending.at,
                "winner": ending.winner,
            }
        )
        assert (view["clock"]["white"], view["clock"]["black"]) == (
            ending.left.white,
            ending.left.black,
        )
        assert view["seats"] == {"white": {"taken": True}, "black": {"taken": True}}


@pytest.mark.parametrize("game", [g for g in GAMES if g.ending.last_word == "flag"], ids=by_id)
def test_a_flag_is_judged_by_the_timer_once_patience_is_over(
    game: RecordedGame, played: dict[str, Played]
) -> None:
    one = whole(played[game.id])
    due = one.began_at + game.ending.at + PATIENCE_MS
    for side in SIDES:
        ended = news_from(one.heard[side], FIRST_NEWS)[-1]
        assert ended["event"] == "ended"
        assert "re" not in ended
        assert due <= ended["view"]["now"] <= due + LATEST_MS


@pytest.mark.parametrize("game", GAMES, ids=by_id)
def test_the_record_is_the_game(
    game: RecordedGame, played: dict[str, Played], stored: Stored
) -> None:
    one, ending = whole(played[game.id]), game.ending
    record = stored.record(one.table, 1)
    moves, thinks = record.pop("moves"), record.pop("thinks")
    assert RULESETS["standard"].ucis(moves) == tuple(game.ucis)
    assert unpack_thinks(thinks) == [turn.think_ms for turn in game.turns]
    players = {side: record.pop(side) for side in SIDES}
    assert record == without_none(
        {
            "pk": f"game#{one.table}#1",
            "sk": "record",
            "table_id": one.table,
            "game": 1,
            "ruleset": "standard",
            "result": ending.result,
            "winner": ending.winner,
            "termination": ending.termination,
            "began_at": one.began_at,
            "ended_at": one.began_at + ending.at,
            "total_ms": game.total_ms,
            "increment_ms": game.increment_ms,
            "white_ms": ending.left.white,
            "black_ms": ending.left.black,
        }
    )
    for side in SIDES:
        assert [line["table_id"] for line in stored.history(players[side])] == [one.table]
        assert stored.player(players[side])["games"] == 1
        assert "seat" not in stored.player(players[side])


def whole(played: Played) -> Played:
    """The game, if it could be played to its end."""
    if played.error is not None:
        raise AssertionError(f"the game broke off: {played.error!r}") from played.error
    return played


def seen(moved: dict[str, Any]) -> dict[str, Any]:
    """What a client was told of a move; the legal moves in no order."""
    return {
        **{name: value for name, value in moved.items() if name not in {"re", "legal"}},
        "legal": set(moved.get("legal", ())),
    }


def expected(played: Played, turn: Turn, viewer: SideName) -> dict[str, Any]:
    """What `viewer` must be told of a move."""
    game, at = played.game, played.began_at + turn.at
    is_last, next_side = turn is game.turns[-1], side_on_move(turn.ply + 1)
    is_over = is_last and game.ending.last_word == "board"
    left = turn.left.of(next_side)
    limit = min(left, FIRST_PLIES_MS) if turn.ply + 1 < 2 else left
    clock: dict[str, Any] = {"white": turn.left.white, "black": turn.left.black, "turnAt": at}
    if not is_over:
        clock |= {"flagAt": at + limit, "runs": next_side}
    told: dict[str, Any] = {
        "event": "moved",
        "table": played.table,
        "v": FIRST_NEWS + turn.ply,
        "game": 1,
        "ply": turn.ply,
        "by": side_on_move(turn.ply),
        "uci": turn.uci,
        "san": turn.san,
        "fen": turn.fen,
        "clock": clock,
        "now": at,
        "legal": set(turn.legal) if viewer == next_side and not is_over else set(),
    }
    if turn.is_check:
        told["check"] = True
    if is_over:
        told["outcome"] = without_none(
            {
                "termination": game.ending.termination,
                "result": game.ending.result,
                "at": at,
                "winner": game.ending.winner,
            }
        )
    return told


def without_none(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}
