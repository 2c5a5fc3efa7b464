"""Apply: one write of a table with everything that has to happen with it, then the timer.

What a change of status means outside the table is decided here and nowhere else: an ending
releases both seats and keeps the record, a rematch claims them anew.
"""

from dataclasses import dataclass, replace

from shared.game.due import next_wake
from shared.game.ids import PlayerId
from shared.game.table import Status, Table
from shared.service.ports import ConnectionKey, GameRecord, TableWrite
from shared.service.world import World

REARM_MARGIN_MS = 1_000
"""A timer this much too late, or less, is left as it is."""


@dataclass(frozen=True, slots=True)
class Along:
    """What one use case writes with its change, beside what the change itself entails."""

    claims: tuple[PlayerId, ...] = ()
    attaches: ConnectionKey | None = None
    takes_code: str | None = None
    timer_is_spent: bool = False
    """The armed timer has fired: whatever is due next needs a new one."""


def commit(
    world: World, before: Table, after: Table, now: int, along: Along | None = None
) -> Table:
    """The table as written. Raises Conflict, AlreadySeated, ConnectionLost.

    The timer message is sent after the write; where that fails, `sweep` makes good.
    """
    along = along or Along()
    armed = arm(world, replace(after, rev=before.rev + 1), is_spent=along.timer_is_spent)
    world.tables.write(_write(before, armed, now, along))
    if armed.timer_at is not None and armed.timer_at != before.timer_at:
        world.timers.send(armed.table_id, armed.timer_at, now)
    return armed


def arm(world: World, table: Table, *, is_spent: bool = False) -> Table:
    """The table with a timer no later than what falls due next."""
    wake = next_wake(table, world.policy)
    armed_at = None if is_spent else table.timer_at
    if wake is None:
        return replace(table, timer_at=None)
    if armed_at is not None and wake >= armed_at - REARM_MARGIN_MS:
        return table
    return replace(table, timer_at=wake)


def _write(before: Table, after: Table, now: int, along: Along) -> TableWrite:
    players = tuple(seat.player_id for seat in (after.white, after.black) if seat.player_id)
    ends = after.status is Status.OVER and before.status is not Status.OVER
    resumes = before.status is Status.OVER and after.status is not Status.OVER
    return TableWrite(
        before,
        after,
        claims=players if resumes else along.claims,
        releases=players if ends else (),
        attaches=along.attaches,
        finished=_record(after) if ends else None,
        takes_code=along.takes_code,
        now=now,
    )


def _record(table: Table) -> GameRecord | None:
    white, black, outcome = table.white.player_id, table.black.player_id, table.outcome
    if white is None or black is None or outcome is None or not outcome.has_result:
        return None
    return GameRecord(table, outcome, white, black)
