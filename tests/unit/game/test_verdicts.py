"""Flags and abandonment: in time or too late, who wins, and as of when."""

import pytest

from shared.game.actions.move import Move
from shared.game.clock import TimeControl
from shared.game.side import Side
from shared.game.table import Policy
from shared.protocol.views import view
from tests.support.playing import (
    BEGAN_AT,
    DEFAULT,
    NO_MOVE_LIMIT,
    Playing,
    live_table,
    mirrored,
    rebuilt,
)

WHITE, BLACK = Side
MATERIAL = [
    ("C016 bishop against pawn", "8/8/8/4k3/8/2b5/4P3/5K2 w - - 0 1", True),
    ("C017a knight against queen", "4k3/8/8/8/8/1n6/8/4K2Q w - - 0 1", False),
    ("C017b knight against rook", "4k3/8/8/8/8/1n6/8/4K2R w - - 0 1", True),
    ("C017c two knights", "4k3/8/8/8/8/1nn5/8/6K1 w - - 0 1", True),
    ("C017d bishop against queen", "4k3/8/8/8/8/1b6/8/4K2Q w - - 0 1", False),
    ("knight against knight", "4k3/8/8/8/8/1n6/8/4K2N w - - 0 1", True),
    ("knight against bishop", "4k3/8/8/8/8/1n6/8/4K2B w - - 0 1", True),
    ("knight against pawn", "4k3/8/8/8/8/1n6/7P/4K3 w - - 0 1", True),
    ("bishop against bishop of its colour", "4k3/8/8/8/8/1b6/8/4K2B w - - 0 1", False),
    ("bishop against bishop of the other", "4k3/8/8/8/8/1b6/8/4K1B1 w - - 0 1", True),
    ("bare king against all", "4k3/8/8/8/8/8/8/RNBQKBNR w KQ - 0 1", False),
    ("a pawn may become a queen", "4k3/7p/8/8/8/8/8/4K2Q w - - 0 1", True),
    ("a rook mates", "4k2r/8/8/8/8/8/8/4K3 w - - 0 1", True),
    ("bishops of one colour only", "2b1k3/8/4b3/8/8/8/8/4K2Q w - - 0 1", False),
]


@pytest.mark.parametrize("is_mirrored", [False, True], ids=["white", "black"])
@pytest.mark.parametrize(("name", "fen", "wins"), MATERIAL, ids=[name for name, *_ in MATERIAL])
@pytest.mark.parametrize("how", ["flag", "absence"])
def test_time_or_absence_loses_only_against_a_side_that_can_mate(
    name: str, fen: str, how: str, *, wins: bool, is_mirrored: bool
) -> None:
    playing = Playing.start(NO_MOVE_LIMIT, mirrored(fen) if is_mirrored else fen)
    loser = playing.table.on_move
    if how == "absence":
        playing.leave(loser, 0)
        playing.tick(62_000)
    else:
        playing.tick(602_000)

    termination = "timeForfeit" if how == "flag" else "abandonment"
    won = "1-0" if is_mirrored else "0-1"
    assert playing.ending == (termination, won if wins else "1/2-1/2")


@pytest.mark.parametrize("ply_line", ["e2e4 e7e5", "e2e4 e7e5 g1f3"])
@pytest.mark.parametrize(
    ("received", "is_played"), [(59_999, True), (60_000, False), (60_001, False)]
)
@pytest.mark.parametrize("delay", [0, 1_500, 30_000])
def test_the_receipt_decides_about_the_last_millisecond(
    ply_line: str, received: int, delay: int, *, is_played: bool
) -> None:
    """C010, D8: equality loses; however late the function ran, a move in time is in time."""
    playing = Playing.start(DEFAULT).play(ply_line)
    side, uci = playing.table.on_move, playing.legal[0]

    if is_played:
        playing.act(side, Move, at=received, written=received + delay, uci=uci)
        assert not playing.is_over
        assert min(clock or 0 for clock in playing.clocks) == 900_000 - received
    else:
        refusal = playing.refused(side, Move, at=received, written=received + delay, uci=uci)
        assert refusal.code == "tooLate"
        assert refusal.parameters == {"flagAt": BEGAN_AT + 60_000}
        playing.tick(62_000)
        won = "1-0" if side is BLACK else "0-1"
        assert playing.ending == ("timeForfeit", won)
        assert playing.ended_at == 60_000


def test_a_timer_at_the_flag_leaves_room_for_a_move_on_its_way() -> None:
    """C010: the timer fires at T while the move of T - 1 ms is being written."""
    playing = Playing.start(DEFAULT).play("e2e4 e7e5")

    assert [event.name for event in playing.tick(60_000)] == []
    playing.move("g1f3", at=59_999, written=61_000)
    playing.tick(62_000)

    assert not playing.is_over
    assert playing.table.ply == 3


def test_coming_back_does_not_wind_the_clock_up() -> None:
    """C002: White closes and reopens at 50 s; at 61 s the move is too late."""
    playing = Playing.start(DEFAULT).play("e2e4 e7e5")
    playing.leave(WHITE, 50_000)
    playing.come(WHITE, 50_000)

    seen = view(playing.table, WHITE, BEGAN_AT + 50_000, Policy())
    assert seen.clock.flag_at == seen.now + 10_000
    assert playing.refused(WHITE, Move, at=61_000, uci="g1f3").code == "tooLate"
    playing.tick(62_000)

    assert playing.ending == ("timeForfeit", "0-1")
    assert playing.ended_at == 60_000


def test_coming_back_shows_every_ply_and_what_was_left() -> None:
    """C003: twelve plies, White 9:10 and Black 8:05, White's turn running for 4 s."""
    control = TimeControl(total_ms=600_000, per_move_ms=None)
    playing = Playing.start(control)
    line = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5"
    thinks = [5_000, 10_000, 5_000, 20_000] + [10_000, 20_000] * 3 + [10_000, 25_000]
    for uci, think_ms in zip(line.split(), thinks, strict=True):
        playing.move(uci, at=playing.at + think_ms, written=playing.at + think_ms)
    playing.leave(BLACK, playing.at)
    playing.come(BLACK, playing.at + 4_000)

    seen = view(rebuilt(playing.table), BLACK, BEGAN_AT + playing.at + 4_000, Policy())

    assert list(seen.moves) == line.split()
    assert (seen.clock.white, seen.clock.black) == (550_000, 485_000)
    assert seen.clock.turn_at == seen.now - 4_000
    assert (seen.clock.runs, seen.clock.flag_at) == ("white", seen.now - 4_000 + 550_000)


def test_a_timer_of_an_earlier_turn_finds_nothing_due() -> None:
    """C007: due at 60 s for White, who moves at 59.9 s; the timer comes twice."""
    playing = Playing.start(DEFAULT).play("e2e4 e7e5")
    playing.move("g1f3", at=59_900)

    assert playing.tick(60_200) == []
    seen = view(playing.table, BLACK, BEGAN_AT + 60_200, Policy())
    assert seen.clock.flag_at == seen.now + 59_700
    assert playing.tick(63_000) == []
    assert not playing.is_over


def test_a_first_move_timer_finds_nothing_once_both_have_moved() -> None:
    """C089."""
    playing = Playing.start(NO_MOVE_LIMIT)
    playing.move("e2e4", at=59_800)
    playing.move("e7e5", at=59_900)

    assert playing.tick(62_500) == []
    assert not playing.is_over


@pytest.mark.parametrize("plies", ["", "e2e4"])
@pytest.mark.parametrize("how", ["flag", "absence of the mover", "absence of the other"])
def test_before_both_have_moved_nobody_loses_by_time_or_absence(plies: str, how: str) -> None:
    """D10, C090: aborted, no result."""
    playing = Playing.start(NO_MOVE_LIMIT).play(plies)
    mover = playing.table.on_move
    if how != "flag":
        playing.leave(mover if how.endswith("mover") else mover.other, 0)

    playing.tick(61_999)
    assert not playing.is_over
    playing.tick(62_000)

    assert playing.ending == ("aborted", "*")
    assert playing.ended_at == 60_000


@pytest.mark.parametrize("plies", ["e2e4 e7e5", "e2e4 e7e5 g1f3"])
def test_from_the_second_ply_on_time_lost_is_the_game_lost(plies: str) -> None:
    playing = Playing.start(DEFAULT).play(plies)
    flagged = playing.table.on_move

    playing.tick(62_000)

    assert playing.ending == ("timeForfeit", "0-1" if flagged is WHITE else "1-0")


def test_both_gone_without_a_word_leave_one_stored_result() -> None:
    """C006: looked at an hour later, White has run out of time, once."""
    everybody = frozenset(Side)
    playing = Playing.start(DEFAULT).play("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6")

    playing.tick(3_600_000, silent=everybody)

    assert playing.ending == ("timeForfeit", "0-1")
    assert playing.ended_at == 60_000
    assert playing.clocks == (840_000, 900_000)
    assert playing.tick(7_200_000, silent=everybody) == []


@pytest.mark.parametrize("step_ms", [500, 1_000, 7_000])
def test_both_gone_without_a_word_is_the_same_result_step_by_step(step_ms: int) -> None:
    """C006 as timers see it: probes, nobody there, and then the clock."""
    everybody = frozenset(Side)
    playing = Playing.start(DEFAULT).play("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6")

    for at in range(0, 120_000, step_ms):
        playing.tick(at, silent=everybody)

    assert playing.ending == ("timeForfeit", "0-1")
    assert playing.ended_at == 60_000


def test_a_flag_freezes_the_clocks_as_of_its_fall() -> None:
    """C008: whatever time the verdict took to be written."""
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    playing.move("g1f3", at=10_000)

    playing.tick(10_000 + 600_000 + 45_000)

    assert playing.clocks == (590_000, 0)
    assert playing.ended_at == 610_000


def test_a_removal_freezes_the_running_clock_as_of_the_removal() -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    playing.leave(BLACK, 5_000)

    playing.tick(90_000)

    assert playing.ending == ("abandonment", "1-0")
    assert playing.ended_at == 65_000
    assert playing.clocks == (535_000, 600_000)


def test_mate_in_time_stands_however_late_the_flag_is_looked_at() -> None:
    """C108: b1b8 and White's flag at once."""
    playing = Playing.start(DEFAULT, "7k/R7/8/8/8/8/8/1R4K1 w - - 0 1")

    playing.move("b1b8", at=59_999, written=61_999)

    assert playing.tick(62_000) == []
    assert playing.ending == ("checkmate", "1-0")


def test_mate_after_the_flag_was_judged_is_refused() -> None:
    playing = Playing.start(DEFAULT, "7k/R7/8/8/8/8/8/1R4K1 w - - 0 1")
    playing.tick(62_000)

    refusal = playing.refused(WHITE, Move, at=59_999, written=62_100, uci="b1b8")

    assert refusal.code == "gameOver"
    assert playing.ending == ("timeForfeit", "1/2-1/2")


def test_a_table_made_anew_has_the_same_clocks() -> None:
    """C004: nothing is granted by a restart (D7)."""
    playing = Playing(live_table(DEFAULT)).play("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7")
    now = BEGAN_AT + 7_000

    before = view(playing.table, WHITE, now, Policy())
    after = view(rebuilt(playing.table), WHITE, now, Policy())

    assert before == after
