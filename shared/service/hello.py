"""hello: who you are, the token that proves it again, and the table you sit or last sat at."""

from collections.abc import Callable

import msgspec

from shared.game.events import Change
from shared.game.ids import TableId
from shared.game.table import Status, Table
from shared.protocol.inbound import SayHello
from shared.protocol.outbound import Hello, View
from shared.protocol.views import view
from shared.service.admit import admit_back
from shared.service.attach import answer_probe, attach_caller
from shared.service.publish import answer, publish
from shared.service.retry import retrying
from shared.service.world import Caller, World


def hello(world: World, caller: Caller, said: SayHello) -> None:  # noqa: ARG001 - the shape of every use case
    """The answer, the connection attached to the caller's seat. Raises AppOutdated."""
    admit_back(world, caller)
    retrying(world, lambda: _hello(world, caller))()


def _hello(world: World, caller: Caller) -> Callable[[], None]:
    now = max(world.now(), caller.received_at)
    table = _own_table(world, caller, now)
    change = _attached(world, table, caller, now) if table else None

    def tell() -> None:
        if change and (change.event or change.evicted):
            publish(world, change, now)
        shown = own_view(world, change.table, caller, now) if change else None
        token = world.tokens.sign(caller.player_id)
        answered = Hello(re=caller.re, player=caller.player_id, token=token, now=now, view=shown)
        answer(world, caller, answered, change.table if change else None)

    return tell


def own_view(world: World, table: Table, caller: Caller, now: int) -> View:
    """The caller's view; a maker who waits sees the code to give away."""
    shown = view(table, table.side_of(caller.player_id), now, world.policy)
    if table.status is not Status.WAITING:
        return shown
    meta = world.tables.meta(table.table_id)
    return msgspec.structs.replace(shown, code=meta.code if meta else None)


def _own_table(world: World, caller: Caller, now: int) -> Table | None:
    player = world.players.get(caller.player_id)
    if player is None:
        return None
    last = player.last_table if player.last_table_until > now else None
    table_id: TableId | None = player.seat or last
    table = world.tables.get(table_id) if table_id else None
    return table if table and table.side_of(caller.player_id) else None


def _attached(world: World, table: Table, caller: Caller, now: int) -> Change:
    change = attach_caller(world, table, caller, now)
    heard = answer_probe(world, change.table, caller, now)
    return Change(heard, change.event, change.evicted)
