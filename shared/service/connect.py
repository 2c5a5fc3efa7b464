"""A socket opens or closes. Needs no chess."""

from shared.game.table import Status, Table
from shared.service.forget import bury, detach_from
from shared.service.ports import Arrival, ConnectionKey
from shared.service.world import World


def connect(world: World, arrival: Arrival) -> None:
    """A row for the connection; who it is of is known before this is called."""
    world.connections.open(arrival)


def disconnect(world: World, key: ConnectionKey, at: int) -> None:
    """A tombstone in the row's place, the connection off its seat as of `at`. Raises Busy.

    Only a hint: it may come late, never, or after the next connect; it removes exactly this id.
    """
    table = bury(world, key, at)
    if table is not None and table.status is Status.OVER:
        _leave_seat(world, key, table, at)


def _leave_seat(world: World, key: ConnectionKey, known: Table, at: int) -> None:
    """Off the seat held now, too: a rematch brings players back without a word of theirs."""
    player = world.players.get(key.player_id)
    if player is not None and player.seat not in {None, known.table_id}:
        detach_from(world, player.seat, (key.connection_id,), at)
