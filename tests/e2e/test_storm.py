"""Two hundred real games while everything goes wrong: each ends as it must, once, and is told."""

from pathlib import Path

import pytest

from tests.storm.bugs import BUGS
from tests.storm.plans import DECK
from tests.storm.report import lacking, stories, summary, text, too_many_excused
from tests.storm.storm import Storm, ground, storm
from tests.support.mutants import Mistake, copy_with

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

GAMES = 200
SEED = 1


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Storm:
    with ground(tmp_path_factory.mktemp("storm")) as stack:
        return storm(stack, GAMES, SEED)


def test_every_game_ends_as_it_must_and_everybody_knows(
    told: Storm, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        print("", *summary(told), sep="\n")
    assert not told.wrong, text(stories(told))


def test_hardly_anybody_runs_out_of_time_by_a_fault(told: Storm) -> None:
    assert not too_many_excused(told)


def test_everything_that_can_go_wrong_did(told: Storm) -> None:
    assert not lacking(told)


def test_games_ended_in_every_way_there_is(told: Storm) -> None:
    assert len(told.games) == GAMES
    terminations = {game.plan.termination for game in told.games}
    assert terminations == {
        "checkmate",
        "stalemate",
        "threefold",
        "fiftyMoves",
        "insufficientMaterial",
        "agreement",
        "resignation",
        "timeForfeit",
        "abandonment",
        "aborted",
        "closed",
    }
    kinds = {game.plan.kind for game in told.games}
    assert {"rematch", "flag against a bare king", "flag found by a timer"} <= kinds
    assert len(kinds) >= len(DECK)


def test_nothing_is_stored_of_which_no_game_knows(told: Storm) -> None:
    tables = {game.meeting.table for game in told.games}
    players = {player.device.player for game in told.games for player in game.players}
    assert set(told.kept.states) == tables
    assert {table for table, _ in told.kept.records} <= tables
    assert set(told.kept.players) == players
    assert set(told.kept.histories) <= players


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_deliberate_bug_still_fits_the_source(bug: Mistake, tmp_path: Path) -> None:
    copy_with(bug, [bug.file], tmp_path)
