"""The codes to join by: one row each, put on the condition that nobody is using the code.

A code is taken, not deleted, when its table is full: its players still find it for a while.
"""

from collections.abc import Callable

from shared.game.ids import TableId
from shared.service.ports import CodeClash, CodeRecord, Conflict, NewTable, TableWrite
from shared.store.models import CodeRow, table_of
from shared.store.transaction import Step, put, update
from shared.store.values import read_count

FREE_MS = 7 * 24 * 3_600_000
"""How long a free code is valid: longer than any maker waits, so it ends with its table."""
TAKEN_MS = 15 * 60_000
"""How long a code is still known after the second seat was taken."""
_CLEANED_AFTER_MS = 3_600_000


class Codes:
    """The codes, as the port wants them."""

    def __init__(self, clock: Callable[[], int]) -> None:
        """Judge validity by `clock` (epoch ms)."""
        self._clock = clock

    def get(self, code: str) -> CodeRecord | None:
        """The code's table, while the code is valid."""
        item = table_of(CodeRow).get_item(code, consistent_read=True).get("Item")
        if item is None or read_count(item, "until") <= self._clock():
            return None
        return CodeRecord(
            code=code,
            table_id=TableId(item["table_id"]["S"]),
            is_taken=item["is_taken"]["BOOL"],
            until=read_count(item, "until"),
        )


def put_code(new: NewTable) -> Step:
    """The code in use for the new table; CodeClash where it is somebody's."""
    until = new.now + FREE_MS
    row = CodeRow(
        code=new.meta.code,
        table_id=new.table.table_id,
        is_taken=False,
        until=until,
        expires_at=_cleaned_at(until),
    )
    is_unused = CodeRow.code.does_not_exist() | (CodeRow.until <= new.now)
    return put(row, is_unused, CodeClash())


def take_code(write: TableWrite, code: str) -> Step:
    """The code marked taken; Conflict where it no longer is this table's free code."""
    until = write.now + TAKEN_MS
    actions = [
        CodeRow.is_taken.set(True),
        CodeRow.until.set(until),
        CodeRow.expires_at.set(_cleaned_at(until)),
    ]
    is_free = (CodeRow.table_id == write.after.table_id) & (CodeRow.is_taken == False)  # noqa: E712 - a DynamoDB condition
    return update(CodeRow(code), actions, is_free, Conflict())


def _cleaned_at(until: int) -> int:
    return (until + _CLEANED_AFTER_MS) // 1000
