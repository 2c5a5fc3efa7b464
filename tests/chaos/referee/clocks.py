"""Think time + server time = wall time: every write's clocks, worked out by hand (section 4)."""

from shared.game.packing import THINK_UNIT_MS, unpack_thinks
from shared.game.side import Side
from shared.game.table import Status
from tests.chaos.referee.ledger import Clockwork, Written
from tests.chaos.referee.violation import hold


def check(w: Written) -> None:
    """The clocks are as they must be after this write."""
    clock = w.after.clock
    hold(all((left or 0) >= 0 for left in (clock.white_ms, clock.black_ms)), "clock below zero")
    if w.begins:
        _begin(w)
    elif w.is_move:
        _press(w)
    elif w.ends:
        _stop(w)
    elif w.after.game == w.before.game:
        hold(clock == w.before.clock, "clock changed by itself", before=w.before, after=w.after)


def _begin(w: Written) -> None:
    clock, control = w.after.clock, w.after.time_control
    hold(w.began <= clock.turn_at <= w.latest, "play begins now", turn_at=clock.turn_at, now=w.now)
    is_there = w.after.white.connections and w.after.black.connections
    hold(is_there, "play begins when both are there")
    hold(w.after.began_at == clock.turn_at, "play began when White's clock started")
    left = (clock.white_ms, clock.black_ms)
    hold(left == (control.total_ms, control.total_ms), "full clocks at the start", left=left)
    hold(clock.served_ms == 0, "no time served at the start")
    w.ledger.clockwork = Clockwork(
        control, clock.turn_at, clock.turn_at, dict.fromkeys(Side, control.total_ms)
    )


def _press(w: Written) -> None:
    work, clock, received_at = _clockwork(w), w.after.clock, w.process.cause.received_at
    mover = Side.on_move(w.before.ply)
    flag_at = work.flag_at(w.before.ply)
    hold(flag_at is None or received_at < flag_at, "a move after the flag", flag_at=flag_at)
    think_ms = max(0, received_at - work.turn_at)
    left = work.left[mover]
    if left is not None:
        work.left[mover] = max(0, left - think_ms) + work.control.increment_ms
    work.thought_ms += think_ms
    work.served_ms += clock.turn_at - work.turn_at - think_ms
    hold(
        max(received_at, work.turn_at) <= clock.turn_at <= w.latest,
        "the next turn starts with the write",
        turn_at=clock.turn_at,
        received_at=received_at,
        latest=w.latest,
    )
    work.turn_at = clock.turn_at
    _compare(w, work)
    wall_ms = clock.turn_at - work.began_at
    hold(work.thought_ms + work.served_ms == wall_ms, "think + server time = wall time")
    _check_thinks(w, think_ms)


def _check_thinks(w: Written, think_ms: int) -> None:
    known = w.before.thinks
    hold(w.after.thinks.startswith(known), "think times are kept")
    told = unpack_thinks(w.after.thinks[len(known) :])
    hold(
        len(told) == 1 and abs(told[0] - think_ms) <= THINK_UNIT_MS // 2,
        "the think time is recorded",
        told=told,
        think_ms=think_ms,
    )


def _stop(w: Written) -> None:
    if w.before.status is not Status.LIVE or w.after.outcome is None:
        return
    work, at = _clockwork(w), w.after.outcome.at
    side = Side.on_move(w.before.ply)
    left = work.left[side]
    if left is not None:
        work.left[side] = max(0, left - max(0, at - work.turn_at))
    work.turn_at = max(at, work.turn_at)
    _compare(w, work)


def _compare(w: Written, work: Clockwork) -> None:
    clock = w.after.clock
    told = (clock.white_ms, clock.black_ms, clock.turn_at, clock.served_ms)
    right = (work.left[Side.WHITE], work.left[Side.BLACK], work.turn_at, work.served_ms)
    hold(told == right, "the clock charges what was thought", told=told, right=right)


def _clockwork(w: Written) -> Clockwork:
    work = w.ledger.clockwork
    if work is None:
        raise ValueError("play never began")
    return work
