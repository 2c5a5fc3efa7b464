"""Tell people what was stored: each viewer his own view, side by side, never stopped by one.

A connection that is gone is forgotten, on condition that nothing changed meanwhile.
"""

from collections.abc import Callable

import msgspec

from shared.game.events import Change
from shared.game.ids import ConnectionId
from shared.game.side import Side
from shared.game.table import Status, Table
from shared.protocol.outbound import Happening, Moved, Outbound, Probe, Replaced, Shown, View
from shared.protocol.views import happening, view
from shared.service.forget import forget, forget_caller
from shared.service.world import Caller, World

Published = Happening | Moved | Shown
Letters = dict[ConnectionId, bytes]


def publish(world: World, change: Change, now: int, caller: Caller | None = None) -> None:
    """The change told to both seats, and to whoever asked; evicted sockets told and closed."""
    table = change.table
    letters: Letters = {}
    if change.event is not None:
        event = change.event
        letters = _letters(
            table, caller, lambda side: happening(table, event, side, now, world.policy)
        )
    probe = msgspec.json.encode(Probe(table=table.table_id, v=table.v))
    letters |= dict.fromkeys(change.probed, probe)
    replaced = msgspec.json.encode(Replaced(table=table.table_id))
    letters |= dict.fromkeys(change.evicted, replaced)
    send(world, table, letters, caller)
    for connection_id in change.evicted:
        world.posts.close(connection_id)


def show_everybody(world: World, table: Table, now: int, caller: Caller) -> None:
    """The table as it stands, to both seats and the asker: heals whatever was not delivered."""
    letters = _letters(table, caller, lambda side: _shown(world, table, side, now))
    send(world, table, letters, caller)


def show_again(world: World, table: Table, v: int, now: int, caller: Caller) -> None:
    """Done before, with the result `v`: while that is the head everybody is shown it again.

    At most once a second; later, and in between, the asker alone.
    """
    if v == table.v and world.may_heal(table.table_id, now):
        show_everybody(world, table, now, caller)
    else:
        show(world, table, now, caller)


def show(world: World, table: Table, now: int, caller: Caller) -> None:
    """The table as it stands, to the asker alone."""
    message = _shown(world, table, table.side_of(caller.player_id), now)
    send(world, table, {caller.connection_id: _encode(message, caller.re)}, caller)


def answer(world: World, caller: Caller, message: Outbound, table: Table | None = None) -> None:
    """One message, to the connection that asked."""
    send(world, table, {caller.connection_id: msgspec.json.encode(message)}, caller)


def own_view(world: World, table: Table, side: Side | None, now: int) -> View:
    """The view of `side`; a maker who waits sees the code to give away."""
    shown = view(table, side, now, world.policy)
    if side is None or table.status is not Status.WAITING:
        return shown
    meta = world.tables.meta(table.table_id)
    return msgspec.structs.replace(shown, code=meta.code if meta else None)


def send(world: World, table: Table | None, letters: Letters, caller: Caller | None) -> None:
    """The letters posted; connections found gone are forgotten, the asker's wherever it sat."""
    gone = world.posts.post(letters) if letters else set()
    if gone and table is not None:
        forget(world, table.table_id, tuple(sorted(gone)))
    if caller is not None and caller.connection_id in gone and not _sits_at(table, caller):
        forget_caller(world, caller.key)


def _sits_at(table: Table | None, caller: Caller) -> bool:
    seats = () if table is None else (table.white, table.black)
    return any(caller.connection_id in seat.connections for seat in seats)


def _letters(
    table: Table, caller: Caller | None, message_for: Callable[[Side | None], Published]
) -> Letters:
    letters: Letters = {}
    messages: dict[Side | None, Published] = {}
    for side in Side:
        if table.seat(side).connections:
            messages[side] = message_for(side)
            payload = msgspec.json.encode(messages[side])
            letters |= dict.fromkeys(table.seat(side).connections, payload)
    if caller is not None:
        asker = table.side_of(caller.player_id)
        message = messages.get(asker) or message_for(asker)
        letters[caller.connection_id] = _encode(message, caller.re)
    return letters


def _encode(message: Published, re: str | None) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(message, re=re))


def _shown(world: World, table: Table, side: Side | None, now: int) -> Shown:
    return Shown(table=table.table_id, v=table.v, view=own_view(world, table, side, now))
