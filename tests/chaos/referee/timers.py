"""There is always something that will end a table, and a lost timer is made good (section 4)."""

from shared.game.side import Side
from shared.game.table import Policy, Seat, Status, Table
from tests.chaos.referee.ledger import Written
from tests.chaos.referee.violation import hold

MARGIN_MS = 1_000
MADE_GOOD_MS = 90_000
PROMPT_MS = 6_000
"""A timer with which nothing goes wrong has had its effect after this."""


def check(w: Written) -> None:
    """A table that is not over has a timer no later than what falls due next."""
    table = w.after
    if table.status is Status.OVER:
        hold(table.timer_at is None, "no timer after the end")
        return
    wake = next_wake(table, w.policy)
    hold(
        table.timer_at is not None and table.timer_at <= wake + MARGIN_MS,
        "a timer is armed for what falls due next",
        timer_at=table.timer_at,
        wake=wake,
        table=table,
    )


def next_wake(table: Table, policy: Policy) -> int:
    """When something next has to be written, worked out by hand."""
    if table.status is Status.SEATED:
        return table.since + 300_000
    if table.status is Status.WAITING:
        seat = table.white if table.white.player_id else table.black
        if seat.away_since is not None:
            return seat.away_since + 900_000
        return _probe_at(seat, 300_000)
    return min([_verdict_at(table) + policy.patience_ms, *_absences(table, policy)])


def _verdict_at(table: Table) -> int:
    control, clock = table.time_control, table.clock
    limits = [control.per_move_ms, clock.remaining(table.on_move)]
    known = [limit for limit in limits if limit is not None]
    if not known:
        return clock.turn_at + 1_800_000
    return clock.turn_at + min([*known, 60_000] if table.ply < 2 else known)


def _absences(table: Table, policy: Policy) -> list[int]:
    found = []
    for side in Side:
        seat, other = table.seat(side), table.seat(side.other)
        if seat.away_since is None:
            found.append(_probe_at(seat, 45_000))
            continue
        if not seat.is_away_told:
            found.append(seat.away_since + 3_000)
        if not other.is_away:
            found.append(seat.away_since + policy.absence_ms + policy.patience_ms)
    return found


def _probe_at(seat: Seat, every_ms: int) -> int:
    return seat.heard_at + every_ms if seat.probed_at is None else seat.probed_at + 15_000
