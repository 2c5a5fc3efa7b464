"""resign, abort, leaveTable: giving a game up, before and after both have moved."""

import pytest

from shared.game.actions.abort import Abort
from shared.game.actions.action import GameAction
from shared.game.actions.draw import OfferDraw
from shared.game.actions.leave_table import LeaveTable
from shared.game.actions.move import Move
from shared.game.actions.resign import Resign
from shared.game.events import Happened
from shared.game.side import Side
from tests.support.playing import NO_MOVE_LIMIT, UNTIMED, Playing, mirrored

WHITE, BLACK = Side
GIVING_UP = pytest.mark.parametrize("kind", [Resign, LeaveTable])


@GIVING_UP
@pytest.mark.parametrize("plies", ["e2e4 e7e5", "e2e4 e7e5 g1f3"])
@pytest.mark.parametrize("loser", Side)
def test_who_gives_up_loses_on_whoevers_turn(
    kind: type[GameAction], plies: str, loser: Side
) -> None:
    playing = Playing.start(UNTIMED).play(plies)

    playing.act(loser, kind)

    assert playing.ending == ("resignation", "0-1" if loser is WHITE else "1-0")
    assert playing.events[-1].name is Happened.ENDED
    assert playing.events[-1].by is loser


@GIVING_UP
@pytest.mark.parametrize("plies", ["", "e2e4"])
@pytest.mark.parametrize("side", Side)
def test_before_both_have_moved_giving_up_only_aborts(
    kind: type[GameAction], plies: str, side: Side
) -> None:
    """C088, D10: no result."""
    playing = Playing.start(UNTIMED).play(plies)

    playing.act(side, kind)

    assert playing.ending == ("aborted", "*")


@pytest.mark.parametrize("plies", ["", "e2e4"])
@pytest.mark.parametrize("side", Side)
def test_either_may_abort_before_both_have_moved(plies: str, side: Side) -> None:
    playing = Playing.start().play(plies)

    playing.act(side, Abort)

    assert playing.ending == ("aborted", "*")
    assert playing.tick(3_600_000) == []


@pytest.mark.parametrize("side", Side)
def test_nobody_aborts_once_both_have_moved(side: Side) -> None:
    playing = Playing.start().play("e2e4 e7e5")

    assert playing.refused(side, Abort).code == "abortTooLate"


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_resigning_loses_even_against_a_bare_king(*, is_mirrored: bool) -> None:
    """C023, D2: as on lichess; FIDE 5.1.2 would call it a draw."""
    fen = "4k3/8/8/8/8/8/8/3QK3 w - - 0 1"
    playing = Playing.start(UNTIMED, mirrored(fen) if is_mirrored else fen)
    loser = playing.table.on_move

    playing.act(loser, Resign)

    assert playing.ending == ("resignation", "1-0" if is_mirrored else "0-1")


@GIVING_UP
def test_the_clocks_stop_at_the_instant_it_was_received(kind: type[GameAction]) -> None:
    """C008: five seconds into White's turn, and ten minutes later still the same."""
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")

    playing.act(WHITE, kind, at=5_000, written=5_800)
    stopped = playing.clocks
    later = playing.tick(605_000)

    assert stopped == playing.clocks == (595_000, 600_000)
    assert playing.ended_at == 5_000
    assert later == []
    assert playing.ending == ("resignation", "0-1")


@pytest.mark.parametrize("kind", [Resign, LeaveTable])
def test_no_end_is_dated_before_the_ply_it_follows(kind: type[GameAction]) -> None:
    """Received while the opponent's move was being written: as of the start of the turn."""
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    playing.move("g1f3", at=9_000, written=9_400)

    playing.act(BLACK, kind, at=9_100)

    assert playing.ended_at == 9_400
    assert playing.clocks == (591_000, 600_000)


def test_resigning_on_the_opponents_turn_charges_the_opponent_his_thinking() -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")

    playing.act(BLACK, Resign, at=4_000)

    assert playing.clocks == (596_000, 600_000)


@pytest.mark.parametrize("kind", [Resign, LeaveTable, Abort, OfferDraw])
def test_after_the_end_there_is_nothing_to_give_up(kind: type[GameAction]) -> None:
    playing = Playing.start().play("e2e4 e7e5")
    playing.act(WHITE, Resign)

    for side in Side:
        refusal = playing.refused(side, kind)
        assert refusal.code == "gameOver"
        assert refusal.shows_table


def test_a_resignation_meant_before_the_opponents_move_still_counts() -> None:
    """It is about the game, not about the position."""
    playing = Playing.start(UNTIMED).play("e2e4 e7e5 g1f3")

    playing.act(BLACK, Resign, ply=2)

    assert playing.ending == ("resignation", "1-0")


def test_a_resignation_from_the_future_is_refused() -> None:
    playing = Playing.start(UNTIMED).play("e2e4 e7e5")

    assert playing.refused(WHITE, Resign, ply=3).code == "stalePly"


@pytest.mark.parametrize("kind", [Resign, LeaveTable])
def test_resigning_when_the_flag_has_fallen_is_too_late_for_the_side_on_move(
    kind: type[GameAction],
) -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")

    assert playing.refused(WHITE, kind, at=600_000).code == "tooLate"
    playing.act(BLACK, kind, at=600_000)

    assert playing.ending == ("resignation", "1-0")


@pytest.mark.parametrize("is_move_first", [True, False])
def test_mate_and_resignation_at_once_have_one_winner_and_one_reason(
    *, is_move_first: bool
) -> None:
    """C108."""
    playing = Playing.start(UNTIMED, "7k/R7/8/8/8/8/8/1R4K1 w - - 0 1")
    if is_move_first:
        playing.move("b1b8")
        assert playing.refused(BLACK, Resign, ply=2).code == "gameOver"
    else:
        playing.act(BLACK, Resign)
        assert playing.refused(WHITE, Move, uci="b1b8").code == "gameOver"

    assert playing.ending == ("checkmate" if is_move_first else "resignation", "1-0")
    assert [event.name for event in playing.events if event.name is Happened.ENDED] == (
        [] if is_move_first else [Happened.ENDED]
    )
