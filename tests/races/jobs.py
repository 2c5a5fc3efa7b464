"""What contenders do: functions that can be sent to another process."""

from functools import partial

from shared.game.ids import TableId
from shared.service.ports import Arrival, Conflict, ConnectionKey, NewTable, TableWrite
from shared.store.connections import Connections
from shared.store.limits import Limits
from shared.store.settings import SigningKeys
from shared.store.tables import Tables
from tests.integration.store.scenes import NOW, moving
from tests.races.contenders import Job

WINDOW_MS = 60_000


def now() -> int:
    """The one instant at which all races are run."""
    return NOW


def write(asked: TableWrite) -> Job:
    """The write of a table."""
    return partial(_write, asked)


def create(new: NewTable) -> Job:
    """The making of a table."""
    return partial(_create, new)


def close(key: ConnectionKey) -> Job:
    """The end of a connection."""
    return partial(_close, key)


def open_again(key: ConnectionKey) -> Job:
    """The beginning of a connection."""
    return partial(_open, key)


def play(table_id: TableId, plies: int) -> Job:
    """That many plies, each tried until it is written; returns the conflicts on the way."""
    return partial(_play, table_id, plies)


def count(subject: str, times: int) -> Job:
    """That many times counted; returns every count."""
    return partial(_count, subject, times)


def signing_keys() -> Job:
    """The signing keys, asked for by a process that has never seen any."""
    return partial(_signing_keys)


def _write(asked: TableWrite) -> None:
    Tables(now).write(asked)


def _create(new: NewTable) -> None:
    Tables(now).create(new)


def _close(key: ConnectionKey) -> TableId | None:
    return Connections().close(key, NOW)


def _open(key: ConnectionKey) -> None:
    Connections().open(Arrival(key, "1.4.0", "web", "nl", NOW))


def _play(table_id: TableId, plies: int) -> int:
    tables, conflicts, played = Tables(now), 0, 0
    while played < plies:
        table = tables.get(table_id)
        if table is None:
            raise ValueError(table_id)
        try:
            tables.write(moving(table))
        except Conflict:
            conflicts += 1
        else:
            played += 1
    return conflicts


def _count(subject: str, times: int) -> list[int]:
    return [Limits().add(subject, WINDOW_MS, NOW) for _ in range(times)]


def _signing_keys() -> tuple[bytes, ...]:
    return SigningKeys(now)()
