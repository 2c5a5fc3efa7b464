"""A socket opens or closes. Needs no chess."""

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
    if table_id is not None:
        detach_from(world, table_id, (key.connection_id,), at)
