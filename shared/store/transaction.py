"""Several conditional writes, all or nothing, and what it means when one of them cannot be.

Each step carries the exception that its own condition stands for. Where several conditions fail,
the first step in the caller's order speaks. Reasons are matched by position, never by their text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pynamodb.exceptions import PynamoDBException, TransactWriteError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action
from pynamodb.models import Model

from shared.service.ports import Conflict
from shared.store.models import TableRow, table_of
from shared.store.reach import code_of, is_throttled

CONDITION_FAILED = "ConditionalCheckFailed"
IN_CONFLICT = "TransactionConflict"


@dataclass(frozen=True, slots=True)
class Step:
    """One write of a transaction; `failure` is what the failure of its condition means."""

    request: dict[str, Any]
    is_put: bool
    failure: Exception


def put(row: Model, condition: Condition, failure: Exception) -> Step:
    """The row in place of whatever was there."""
    return Step(row.get_save_kwargs_from_instance(condition), is_put=True, failure=failure)


def update(
    row: Model, actions: Sequence[Action], condition: Condition | None, failure: Exception
) -> Step:
    """Some attributes of the row changed; it is made where it does not exist."""
    request = row.get_update_kwargs_from_instance(list(actions), condition)
    return Step(request, is_put=False, failure=failure)


def commit(steps: Sequence[Step]) -> None:
    """All steps done. Raises the failure of the first that could not be, or Conflict.

    A transaction that was throttled is a Conflict too: nothing happened, and by the next attempt
    it is later.
    """
    puts = [step.request for step in steps if step.is_put]
    updates = [step.request for step in steps if not step.is_put]
    try:
        table_of(TableRow).connection.transact_write_items([], [], puts, updates)
    except TransactWriteError as error:
        if is_throttled(error.cause):
            raise Conflict from error
        raise _meaning(steps, error) or error from error


def is_unmet(error: PynamoDBException) -> bool:
    """Whether a single write failed by its condition."""
    return code_of(error.cause) == f"{CONDITION_FAILED}Exception"


def is_in_conflict(error: PynamoDBException) -> bool:
    """Whether a single write failed because a transaction on its item was under way."""
    return code_of(error.cause) == f"{IN_CONFLICT}Exception"


def _meaning(steps: Sequence[Step], error: TransactWriteError) -> Exception | None:
    """What the cancellation says in our words; None: it is not about conditions."""
    codes = [reason.code if reason else None for reason in error.cancellation_reasons]
    if not codes or not set(codes) <= {None, CONDITION_FAILED, IN_CONFLICT}:
        return None
    if IN_CONFLICT in codes:
        return Conflict()
    sent = sorted(steps, key=lambda step: not step.is_put)  # as PynamoDB sends them: puts first
    failed = [step for step, code in zip(sent, codes, strict=True) if code is not None]
    return min(failed, key=steps.index).failure if failed else None
