"""A seated player's connection joins his seat, on condition that it is alive."""

from shared.game.events import Change
from shared.game.presence import attach, hear
from shared.game.table import Table
from shared.service.commit import Along, commit
from shared.service.ports import ConnectionLost
from shared.service.world import Caller, World


def attach_caller(world: World, table: Table, caller: Caller, now: int) -> Change:
    """The table with the caller's connection on his seat, written; unchanged where it is there.

    A connection that is dead by now changes nothing: its message still counts.
    Raises Conflict.
    """
    side = table.side_of(caller.player_id)
    if side is None or caller.connection_id in table.seat(side).connections:
        return Change(table)
    change = attach(table, side, caller.connection_id, now)
    try:
        written = commit(world, table, change.table, now, Along(attaches=caller.key))
    except ConnectionLost:
        return Change(table)
    return Change(written, change.event, change.evicted)


def answer_probe(world: World, table: Table, caller: Caller, now: int) -> Table:
    """The table with a pending probe of the caller's seat answered. Raises Conflict."""
    side = table.side_of(caller.player_id)
    if side is None or table.seat(side).probed_at is None:
        return table
    return commit(world, table, table.with_seat(side, hear(table.seat(side), now)), now)
