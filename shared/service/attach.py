"""A seated player's connection joins his seat, on condition that it is alive."""

from contextlib import suppress

from shared.game.events import Change
from shared.game.ids import ConnectionId
from shared.game.presence import attach, hear
from shared.game.table import Status, Table
from shared.service.commit import Along, commit
from shared.service.ports import Conflict, ConnectionKey, ConnectionLost
from shared.service.world import Caller, World


def attach_caller(world: World, table: Table, caller: Caller, now: int) -> Change:
    """The table with the caller's connection on his seat, written; unchanged where it is there.

    A connection that is dead by now changes nothing: its message still counts. Nor does one of a
    player who has sat down elsewhere since: its end has to be told to the table he sits at.
    Raises Conflict.
    """
    side = table.side_of(caller.player_id)
    if side is None or caller.connection_id in table.seat(side).connections:
        return Change(table)
    if table.status is Status.OVER and _sits_elsewhere(world, table, caller):
        return Change(table)
    change = attach(table, side, caller.connection_id, now)
    try:
        written = commit(world, table, change.table, now, Along(attaches=caller.key))
    except ConnectionLost:
        return Change(table)
    _bury(world, caller, change.evicted, now)
    return Change(written, change.event, change.evicted)


def _sits_elsewhere(world: World, table: Table, caller: Caller) -> bool:
    player = world.players.get(caller.player_id)
    return player is not None and player.seat not in {None, table.table_id}


def _bury(world: World, caller: Caller, evicted: tuple[ConnectionId, ...], now: int) -> None:
    """Tombstones for the evicted: what they say until they are closed seats them no more."""
    for connection_id in evicted:
        with suppress(Conflict):
            world.connections.close(ConnectionKey(caller.player_id, connection_id), now)


def answer_probe(world: World, table: Table, caller: Caller, now: int) -> Table:
    """The table with a pending probe of the caller's seat answered. Raises Conflict."""
    side = table.side_of(caller.player_id)
    if side is None or table.seat(side).probed_at is None:
        return table
    return commit(world, table, table.with_seat(side, hear(table.seat(side), now)), now)
