"""What time has brought about at one table: written, told, and the next timer armed.

Called by a timer message and by the sweep. A message is a wake-up, never a fact.
"""

from collections.abc import Callable
from dataclasses import replace

from shared.game.events import Change
from shared.game.ids import TableId
from shared.game.settle import settle
from shared.game.table import Table
from shared.service.commit import Along, commit
from shared.service.publish import publish
from shared.service.retry import retrying
from shared.service.world import World

MOST_AT_ONCE = 16
"""More things than this never fall due at one table at once."""


def wake(world: World, table_id: TableId, timer_at: int) -> None:
    """A timer message for `timer_at`: dropped when another is armed, sent again when early."""
    table = world.tables.get(table_id)
    if table is None or table.timer_at != timer_at:
        return
    now = world.now()
    if now < timer_at:
        world.timers.send(table_id, timer_at, now)
        return
    settle_table(world, table_id)


def settle_table(world: World, table_id: TableId) -> None:
    """Everything due at the table written and told, one thing after the other. Raises Busy."""
    for _ in range(MOST_AT_ONCE):
        if not retrying(world, lambda: _settle_one(world, table_id))():
            return


def sweep(world: World) -> int:
    """Every table whose timer was lost settled; how many there were.

    One that fails does not hold up the others. Raises ExceptionGroup of what failed, at the end.
    """
    table_ids = world.tables.due(world.now())
    failures = [failure for one in table_ids if (failure := _failure(world, one)) is not None]
    if failures:
        raise ExceptionGroup("sweep", failures)
    return len(table_ids)


def _failure(world: World, table_id: TableId) -> Exception | None:
    """What went wrong in settling the table, naming it; raised by the sweep in the end."""
    try:
        settle_table(world, table_id)
    except Exception as failure:  # noqa: BLE001 - one broken table must not stop all clocks
        failure.add_note(table_id)
        return failure
    return None


def _settle_one(world: World, table_id: TableId) -> Callable[[], bool]:
    """One thing written; what it returns tells people and says whether to look again."""
    table = world.tables.get(table_id)
    if table is None:
        return lambda: False
    now = max(world.now(), table.clock.turn_at)
    change = settle(table, now, world.policy)
    if change is None:
        _rearm(world, table, now)
        return lambda: False
    written = _commit(world, table, change, now)

    def tell() -> bool:
        publish(world, written, now)
        return True

    return tell


def _commit(world: World, table: Table, change: Change, now: int) -> Change:
    along = Along(timer_is_spent=is_spent(table, now))
    return replace(change, table=commit(world, table, change.table, now, along))


def _rearm(world: World, table: Table, now: int) -> None:
    """The next timer, where the armed one has fired."""
    if is_spent(table, now):
        commit(world, table, table, now, Along(timer_is_spent=True))


def is_spent(table: Table, now: int) -> bool:
    """Whether the armed timer's instant has passed."""
    return table.timer_at is not None and table.timer_at <= now
