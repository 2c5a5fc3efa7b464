"""The tables: one strongly consistent read, one conditional write, or one transaction.

A write names only what it changes, so that attributes which others set (marks for the stream)
survive it, and so that an index is touched, and paid for, only when a timer is armed.
"""

from collections.abc import Callable

from pynamodb.exceptions import UpdateError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.operand import Value as Operand
from pynamodb.expressions.update import Action, RemoveAction, SetAction

from shared.game.ids import TableId
from shared.game.table import Table
from shared.service.ports import Conflict, NewTable, TableMeta, TableWrite
from shared.store.codes import put_code, take_code
from shared.store.connections import attach_connection
from shared.store.games import keep
from shared.store.models import META, STATE, DueIndex, TableRow, table_of
from shared.store.reach import is_throttled, is_unsure
from shared.store.seats import claim, claim_first, release
from shared.store.state_item import DUE_SHARDS, decode, encode
from shared.store.transaction import Step, commit, is_in_conflict, is_unmet, put, update
from shared.store.values import Item, read_number

META_KEPT_MS = 90 * 24 * 3_600_000
"""How long a table's META is kept: longer than anybody plays on at one table."""


class Tables:
    """The tables, as the port wants them."""

    def __init__(self, clock: Callable[[], int]) -> None:
        """Judge expiry by `clock` (epoch ms)."""
        self._clock = clock

    def get(self, table_id: TableId) -> Table | None:
        """The table as it stands."""
        item = self._read(table_id, STATE)
        return None if item is None else decode(table_id, item)

    def meta(self, table_id: TableId) -> TableMeta | None:
        """The part that moves never read."""
        item = self._read(table_id, META)
        if item is None:
            return None
        return TableMeta(
            table_id=table_id,
            code=item["code"]["S"],
            link_secret=item["link_secret"]["S"],
            created_at=int(item["created_at"]["N"]),
        )

    def create(self, new: NewTable) -> None:
        """STATE, META, code, seat and connection, all or nothing.

        Raises AlreadySeated, ConnectionLost, CodeClash, Conflict: the first of these that holds.
        """
        table_id = new.table.table_id
        commit(
            [
                claim_first(new.maker.player_id, table_id),
                attach_connection(new.maker, table_id),
                put_code(new),
                _first_state(new.table),
                _put_meta(new.meta),
            ]
        )

    def write(self, write: TableWrite) -> None:
        """The write, all or nothing.

        Raises Conflict, AlreadySeated, ConnectionLost: the first of these that holds.
        """
        actions = _changes(encode(write.before), encode(write.after))
        is_unchanged = TableRow.rev == write.before.rev
        along = _along(write)
        if not along:
            _update_state(write.after.table_id, actions, is_unchanged)
            return
        row = TableRow(write.after.table_id, STATE)
        commit([update(row, actions, is_unchanged, Conflict()), *along])

    def due(self, now: int) -> list[TableId]:
        """The tables whose armed timer should have settled them by `now`."""
        return [
            TableId(row.table_id)
            for shard in DUE_SHARDS
            for row in TableRow.due.query(shard, DueIndex.due_at <= now)
        ]

    def _read(self, table_id: TableId, part: str) -> Item | None:
        """The item; one past its expiry is absent, whether or not DynamoDB has deleted it."""
        answer = table_of(TableRow).get_item(table_id, part, consistent_read=True)
        item: Item | None = answer.get("Item")
        if item is None:
            return None
        expires_at = read_number(item, "expires_at")
        return item if expires_at is None or self._clock() < expires_at * 1000 else None


def _update_state(table_id: TableId, actions: list[Action], is_unchanged: Condition) -> None:
    """STATE changed. Raises Conflict also where nobody can say whether it was.

    Whoever decides anew reads it first, and finds what he has done.
    """
    try:
        table_of(TableRow).update_item(table_id, STATE, actions, is_unchanged)
    except UpdateError as error:
        has_lost = is_unmet(error) or is_in_conflict(error)
        if has_lost or is_throttled(error.cause) or is_unsure(error.cause):
            raise Conflict from error
        raise


def _along(write: TableWrite) -> list[Step]:
    """What has to happen together with the write of STATE."""
    table_id = write.after.table_id
    steps = [claim(player_id, table_id) for player_id in write.claims]
    steps += [release(player_id, write) for player_id in write.releases]
    if write.attaches is not None:
        steps.append(attach_connection(write.attaches, table_id))
    if write.finished is not None:
        steps += keep(write.finished)
    if write.takes_code is not None:
        steps.append(take_code(write, write.takes_code))
    return steps


def _changes(before: Item, after: Item) -> list[Action]:
    """What makes `after` of `before`, attribute by attribute."""
    changed = [
        SetAction(Path([name]), Operand(value))
        for name, value in after.items()
        if before.get(name) != value
    ]
    return [*changed, *(RemoveAction(Path([name])) for name in before if name not in after)]


def _first_state(table: Table) -> Step:
    row = TableRow(table.table_id, STATE)
    return update(row, _changes({}, encode(table)), TableRow.table_id.does_not_exist(), Conflict())


def _put_meta(meta: TableMeta) -> Step:
    row = TableRow(
        meta.table_id,
        META,
        code=meta.code,
        link_secret=meta.link_secret,
        created_at=meta.created_at,
        expires_at=(meta.created_at + META_KEPT_MS) // 1000,
    )
    return put(row, TableRow.table_id.does_not_exist(), Conflict())
