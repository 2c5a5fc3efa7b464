"""Connections that are gone leave their seats; nobody is told, time may be.

Used where a post found nobody, and where a socket was closed. Needs no chess.
"""

from contextlib import suppress

from shared.game.ids import ConnectionId, TableId
from shared.game.presence import detach
from shared.game.side import Side
from shared.game.table import Table
from shared.protocol.errors import Busy
from shared.service.commit import commit
from shared.service.ports import Conflict, ConnectionKey
from shared.service.retry import retrying
from shared.service.world import World


def forget(world: World, table_id: TableId, gone: tuple[ConnectionId, ...]) -> None:
    """Connections found gone: their rows closed, their seats without them as of now.

    What was to be told has been told by then: where the table is too busy to forget them, whoever
    asked has nothing to do with it, and the next post finds them gone again.
    """
    with suppress(Busy, Conflict):
        _forget(world, table_id, gone)


def forget_caller(world: World, key: ConnectionKey) -> None:
    """The connection that asked is gone as of now; off the seat its row names."""
    with suppress(Busy, Conflict):
        bury(world, key, world.now())


def bury(world: World, key: ConnectionKey, at: int) -> Table | None:
    """A tombstone in the row's place; the table that it names, without the connection as of `at`.

    Raises Busy, Conflict.
    """
    table_id = world.connections.close(key, at)
    return None if table_id is None else detach_from(world, table_id, (key.connection_id,), at)


def _forget(world: World, table_id: TableId, gone: tuple[ConnectionId, ...]) -> None:
    table = world.tables.get(table_id)
    if table is None:
        return
    now = world.now()
    sat_at = _close(world, table, gone, now)
    for known in (table_id, *sorted(sat_at - {table_id})):
        detach_from(world, known, gone, now)


def _close(world: World, table: Table, gone: tuple[ConnectionId, ...], now: int) -> set[TableId]:
    """Their rows closed; the tables that they were attached to, of which this may be an old one."""
    sat_at: set[TableId] = set()
    for side in Side:
        seat = table.seat(side)
        for connection_id in sorted(set(gone) & set(seat.connections)):
            if seat.player_id is not None:
                key = ConnectionKey(seat.player_id, connection_id)
                known = world.connections.close(key, now)
                sat_at |= set() if known is None else {known}
    return sat_at


def detach_from(
    world: World, table_id: TableId, gone: tuple[ConnectionId, ...], at: int
) -> Table | None:
    """The table, its seats without those connections, lost as of `at`. Raises Busy."""
    return retrying(world, lambda: _detach(world, table_id, gone, at))


def _detach(
    world: World, table_id: TableId, gone: tuple[ConnectionId, ...], at: int
) -> Table | None:
    table = world.tables.get(table_id)
    if table is None:
        return None
    after = table
    for side in Side:
        change = detach(after, side, gone, at)
        after = change.table if change else after
    if after is table:
        return table
    return commit(world, table, after, max(world.now(), at))
