"""sync and ping: where does my table stand, and is anybody there."""

from collections.abc import Callable

from shared.game.ids import TableId
from shared.game.table import Table
from shared.protocol.errors import TableNotFound
from shared.protocol.inbound import Ping, Sync
from shared.protocol.outbound import Pong, Unchanged
from shared.service.attach import answer_probe, attach_caller
from shared.service.publish import answer, publish, show
from shared.service.retry import retrying
from shared.service.world import Caller, World


def sync(world: World, caller: Caller, said: Sync) -> None:
    """`unchanged`, or the view. A seated player's connection is attached, a probe answered.

    Raises TableNotFound, also for who has no seat there.
    """
    retrying(world, lambda: _sync(world, caller, said))()


def ping(world: World, caller: Caller, said: Ping) -> None:  # noqa: ARG001 - the shape of every use case
    """`pong`."""
    answer(world, caller, Pong(re=caller.re, now=_now(world, caller)))


def _sync(world: World, caller: Caller, said: Sync) -> Callable[[], None]:
    table = world.tables.get(TableId(said.table))
    if table is None or table.side_of(caller.player_id) is None:
        raise TableNotFound
    now = _now(world, caller)
    attached = attach_caller(world, table, caller, now)
    synced = answer_probe(world, attached.table, caller, now)

    def tell() -> None:
        if attached.event or attached.evicted:
            publish(world, attached, now)
        _answer(world, caller, said, synced)

    return tell


def _answer(world: World, caller: Caller, said: Sync, table: Table) -> None:
    now = _now(world, caller)
    if said.v == table.v:
        unchanged = Unchanged(re=caller.re, table=table.table_id, v=table.v, now=now)
        answer(world, caller, unchanged, table)
    else:
        show(world, table, now, caller)


def _now(world: World, caller: Caller) -> int:
    return max(world.now(), caller.received_at)
