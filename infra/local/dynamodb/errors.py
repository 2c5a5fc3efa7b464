"""How DynamoDB says that a call did not work: codes, and reasons in a cancelled transaction.

The tables are on demand, so a throttled call says `ThrottlingException`, and where it wears the
older name `ProvisionedThroughputExceededException`. Clients repeat these by themselves; a cancelled
transaction they do not.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

from infra.local.call_faults import Mishap
from infra.local.dynamodb.api import TABLES

SERVICE: Final = "com.amazonaws.dynamodb.v20120810"
CORAL: Final = "com.amazon.coral"
TRANSACTION: Final = "TransactWriteItems"
SINGLE_WRITES: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
UNDER_WAY: Final = "Transaction is ongoing for the item"
TOO_MUCH: Final = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically "
    "scaling your table or index so please try again shortly."
)
PROVISIONED: Final = (
    "The level of configured provisioned throughput for the table was exceeded. Consider "
    "increasing your provisioning level with the UpdateTable API."
)
THROTTLED: Final = (
    (f"{CORAL}.availability#ThrottlingException", TOO_MUCH, "ThrottlingError"),
    (
        f"{SERVICE}#ProvisionedThroughputExceededException",
        PROVISIONED,
        "ProvisionedThroughputExceeded",
    ),
)
FAILED: Final = (
    (500, f"{SERVICE}#InternalServerError", "The request processing has failed."),
    (503, f"{CORAL}.availability#ServiceUnavailable", "The service is temporarily unavailable."),
)


class DynamoDbWords:
    """DynamoDB's words."""

    def can_conflict(self, request: web.BaseRequest) -> bool:
        """Return whether it is a write: reads do not conflict."""
        return operation(request) in {TRANSACTION, *SINGLE_WRITES}

    async def refusal(
        self, mishap: Mishap, request: web.BaseRequest, fraction: Callable[[str], float]
    ) -> web.Response:
        """Return the error; half of the throttled transactions are cancelled for it."""
        by = fraction("dynamodb-words")
        if mishap in {Mishap.FAILED, Mishap.FAILED_AFTER}:
            status, kind, message = FAILED[by < 1 / 2]
            return _error(kind, message, status)
        kind, message, code = THROTTLED[by < 1 / 2]
        is_conflict = mishap is Mishap.CONFLICT
        is_transaction = operation(request) == TRANSACTION
        if is_transaction and (is_conflict or fraction("dynamodb-cancelled") < 1 / 2):
            reason = ("TransactionConflict", UNDER_WAY) if is_conflict else (code, message)
            return await _cancelled(request, reason, fraction("dynamodb-item"))
        if is_conflict:
            return _error(f"{SERVICE}#TransactionConflictException", UNDER_WAY)
        return _error(kind, message)


def operation(request: web.BaseRequest) -> str:
    """Return what is asked for."""
    return request.headers.get("X-Amz-Target", "").removeprefix(f"{TABLES}.")


async def _cancelled(request: web.BaseRequest, reason: tuple[str, str], by: float) -> web.Response:
    """One item of the transaction is the reason; the others have none."""
    items = json.loads(await request.read()).get("TransactItems", [{}])
    reasons: list[dict[str, Any]] = [{"Code": "None"} for _ in items]
    reasons[int(by * len(reasons))] = {"Code": reason[0], "Message": reason[1]}
    listed = ", ".join(one["Code"] for one in reasons)
    message = (
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{listed}]"
    )
    kind = f"{SERVICE}#TransactionCanceledException"
    # With a capital: in this one exception it has always been so.
    return _answer(400, {"__type": kind, "CancellationReasons": reasons, "Message": message})


def _error(kind: str, message: str, status: int = 400) -> web.Response:
    return _answer(status, {"__type": kind, "message": message})


def _answer(status: int, body: dict[str, Any]) -> web.Response:
    return web.Response(
        status=status, text=json.dumps(body), content_type="application/x-amz-json-1.0"
    )
