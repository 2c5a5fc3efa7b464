"""The sockets of the players: a row while open, a tombstone once closed.

API Gateway may tell of the end before the beginning is written, so a tombstone is never undone.
"""

from collections.abc import Sequence

from pynamodb.exceptions import UpdateError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from shared.game.ids import TableId
from shared.service.ports import Arrival, Conflict, ConnectionKey, ConnectionLost
from shared.store.models import ConnectionRow, table_of
from shared.store.transaction import Step, is_in_conflict, is_unmet, update
from shared.store.values import Item, read_text

OPEN_MS = 3 * 3_600_000
"""Longer than API Gateway lets a connection live (two hours)."""
TOMBSTONE_MS = 3_600_000
_TRIES = 5


class Connections:
    """The connections, as the port wants them."""

    def open(self, arrival: Arrival) -> None:
        """A row for the connection; nothing where it has been closed already. Raises Conflict."""
        actions = [
            ConnectionRow.version.set(arrival.version),
            ConnectionRow.platform.set(arrival.platform),
            ConnectionRow.language.set(arrival.language),
            ConnectionRow.opened_at.set(arrival.at),
            ConnectionRow.expires_at.set((arrival.at + OPEN_MS) // 1000),
        ]
        try:
            _write(arrival.key, actions, ConnectionRow.closed_at.does_not_exist())
        except UpdateError as error:
            if not is_unmet(error):
                raise

    def close(self, key: ConnectionKey, now: int) -> TableId | None:
        """A tombstone in its place; the table it was attached to, if any. Raises Conflict.

        Told again it answers the same: whoever was told first may not have got round to it.
        """
        actions = [
            ConnectionRow.closed_at.set(ConnectionRow.closed_at | now),
            ConnectionRow.expires_at.set((now + TOMBSTONE_MS) // 1000),
        ]
        table_id = read_text(_write(key, actions, None), "table_id")
        return None if table_id is None else TableId(table_id)


def attach_connection(key: ConnectionKey, table_id: TableId) -> Step:
    """The connection told its table; ConnectionLost where it is dead."""
    row = ConnectionRow(key.player_id, key.connection_id)
    is_alive = ConnectionRow.player_id.exists() & ConnectionRow.closed_at.does_not_exist()
    return update(row, [ConnectionRow.table_id.set(table_id)], is_alive, ConnectionLost())


def _write(key: ConnectionKey, actions: Sequence[Action], condition: Condition | None) -> Item:
    """The row as it was before. Raises Conflict where a transaction on it is always under way."""
    for _ in range(_TRIES):
        try:
            answer = table_of(ConnectionRow).update_item(
                key.player_id, key.connection_id, actions, condition, return_values="ALL_OLD"
            )
        except UpdateError as error:
            if not is_in_conflict(error):
                raise
            continue
        before: Item = answer.get("Attributes", {})
        return before
    raise Conflict
