"""The clock: what a move costs, when the flag falls, and that no time is made or lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.game.clock import Clock, TimeControl, flag_at, press, start_clock, stop, thought
from shared.game.side import Side

NOW = 1_000_000
LIMITS = st.none() | st.integers(1, 10_000_000)
CONTROLS = st.builds(
    TimeControl,
    total_ms=LIMITS,
    per_move_ms=LIMITS,
    increment_ms=st.integers(0, 60_000),
)


def test_the_default_is_fifteen_minutes_in_all_and_a_minute_a_move() -> None:
    assert TimeControl() == TimeControl(total_ms=900_000, per_move_ms=60_000, increment_ms=0)


@pytest.mark.parametrize(
    ("control", "ply", "span_ms"),
    [
        (TimeControl(900_000, 60_000), 2, 60_000),
        (TimeControl(40_000, 60_000), 2, 40_000),
        (TimeControl(900_000, None), 2, 900_000),
        (TimeControl(None, 90_000), 2, 90_000),
        (TimeControl(None, None), 2, None),
        (TimeControl(900_000, None), 0, 60_000),
        (TimeControl(900_000, None), 1, 60_000),
        (TimeControl(None, 90_000), 1, 60_000),
        (TimeControl(900_000, 20_000), 0, 20_000),
        (TimeControl(30_000, None), 1, 30_000),
        (TimeControl(None, None), 0, None),
    ],
)
def test_the_flag_falls_at_the_tightest_of_the_limits(
    control: TimeControl, ply: int, span_ms: int | None
) -> None:
    flag = flag_at(start_clock(control, NOW), control, ply)

    assert flag == (None if span_ms is None else NOW + span_ms)


def test_each_side_has_a_flag_of_its_own() -> None:
    control = TimeControl(900_000, None)
    clock = Clock(white_ms=7_000, black_ms=9_000, turn_at=NOW)

    assert flag_at(clock, control, 10) == NOW + 7_000
    assert flag_at(clock, control, 11) == NOW + 9_000


@pytest.mark.parametrize("side", Side)
def test_the_mover_pays_from_turn_start_to_receipt_and_gets_the_increment(side: Side) -> None:
    control = TimeControl(60_000, None, 2_000)

    clock = press(
        start_clock(control, NOW), control, side, received_at=NOW + 5_000, now=NOW + 5_700
    )

    assert clock.remaining(side) == 57_000
    assert clock.remaining(side.other) == 60_000
    assert (clock.turn_at, clock.served_ms) == (NOW + 5_700, 700)


def test_a_move_that_was_on_its_way_before_the_turn_began_costs_nothing() -> None:
    control = TimeControl(60_000, None)

    clock = press(
        start_clock(control, NOW), control, Side.WHITE, received_at=NOW - 300, now=NOW + 40
    )

    assert (clock.white_ms, clock.turn_at, clock.served_ms) == (60_000, NOW + 40, 40)


def test_without_a_total_there_is_nothing_to_charge() -> None:
    control = TimeControl(None, 30_000, 2_000)

    clock = press(start_clock(control, NOW), control, Side.WHITE, received_at=NOW + 9, now=NOW + 9)

    assert (clock.white_ms, clock.black_ms) == (None, None)


@pytest.mark.parametrize(("after_ms", "left_ms"), [(0, 10_000), (4_000, 6_000), (11_000, 0)])
def test_a_stopped_clock_has_charged_the_running_turn_and_never_less_than_nothing(
    after_ms: int, left_ms: int
) -> None:
    clock = Clock(white_ms=10_000, black_ms=3_000, turn_at=NOW)

    stopped = stop(clock, Side.WHITE, NOW + after_ms)

    assert (stopped.white_ms, stopped.black_ms) == (left_ms, 3_000)
    assert stopped.turn_at == NOW + after_ms


def test_an_end_dated_before_the_turn_began_charges_nobody() -> None:
    clock = Clock(white_ms=10_000, black_ms=3_000, turn_at=NOW)

    assert stop(clock, Side.BLACK, NOW - 500) == clock


@given(
    CONTROLS,
    st.lists(st.tuples(st.integers(-5_000, 100_000), st.integers(0, 5_000)), max_size=40),
)
def test_think_time_and_server_time_make_up_the_wall_time(
    control: TimeControl, turns: list[tuple[int, int]]
) -> None:
    """Whatever is received when, and however late it is written."""
    clock = start_clock(control, NOW)
    thinks = {Side.WHITE: 0, Side.BLACK: 0}
    for ply, (think_ms, served_ms) in enumerate(turns):
        side = Side.on_move(ply)
        received_at = clock.turn_at + think_ms
        flag = flag_at(clock, control, ply)
        if flag is not None and received_at >= flag:
            break
        thinks[side] += thought(clock, received_at)
        now = max(received_at, clock.turn_at) + served_ms
        before = clock.remaining(side)
        clock = press(clock, control, side, received_at=received_at, now=now)

        assert clock.turn_at == now
        left = clock.remaining(side)
        assert (before is None) == (left is None)
        if left is not None and before is not None:
            assert left == before - max(0, think_ms) + control.increment_ms
            assert left > 0
    assert sum(thinks.values()) + clock.served_ms == clock.turn_at - NOW
