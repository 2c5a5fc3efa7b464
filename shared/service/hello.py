"""hello: who you are, the token that proves it again, and the table you sit or last sat at."""

from collections.abc import Callable

from shared.game.events import Change
from shared.game.ids import TableId
from shared.game.table import Table
from shared.protocol.inbound import SayHello
from shared.protocol.outbound import Hello
from shared.service.admit import admit_back
from shared.service.attach import answer_probe, attach_caller
from shared.service.publish import answer, own_view, publish
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
        side = change.table.side_of(caller.player_id) if change else None
        shown = own_view(world, change.table, side, now) if change else None
        token = world.tokens.sign(caller.player_id)
        answered = Hello(re=caller.re, player=caller.player_id, token=token, now=now, view=shown)
        answer(world, caller, answered, change.table if change else None)

    return tell


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
