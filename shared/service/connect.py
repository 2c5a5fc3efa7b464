"""A socket opens or closes. Needs no chess."""

from shared.game.ids import TableId
from shared.game.table import Status
from shared.service.forget import detach_from
from shared.service.ports import Arrival, ConnectionKey
from shared.service.world import World


def connect(world: World, arrival: Arrival) -> None:
    """A row for the connection; who it is of is known before this is called."""
    world.connections.open(arrival)


def disconnect(world: World, key: ConnectionKey, at: int) -> None:
    """A tombstone in the row's place, the connection off its seat as of `at`. Raises Busy.

    Only a hint: it may come late, never, or after the next connect; it removes exactly this id.
    """
    table_id = world.connections.close(key, at)
    if table_id is None:
        return
    table = detach_from(world, table_id, (key.connection_id,), at)
    if table is None or table.status is Status.OVER:
        _leave_seat(world, key, table_id, at)


def _leave_seat(world: World, key: ConnectionKey, known: TableId, at: int) -> None:
    """Off the seat held now, too: a rematch brings players back without a word of theirs."""
    player = world.players.get(key.player_id)
    if player is not None and player.seat not in {None, known}:
        detach_from(world, player.seat, (key.connection_id,), at)
