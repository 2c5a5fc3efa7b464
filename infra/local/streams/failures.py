"""What an OnFailure destination is told of changes that are given up: where they were, not what.

Knows the documented message; the changes themselves are not in it.
"""

from datetime import UTC, datetime
from typing import Any

from infra.local.ids import uuid_text
from infra.local.lambdas.functions import Function
from infra.local.streams.batch import Discarded


def failure_message(
    discarded: Discarded, function: Function, shard: str, now: int
) -> dict[str, Any]:
    """Return the message to the destination, at the instant `now`."""
    batch = discarded.batch
    first, last = batch.changes[0], batch.changes[-1]
    message: dict[str, Any] = {
        "requestContext": {
            "requestId": batch.request_id or uuid_text(),
            "functionArn": function.arn,
            "condition": discarded.condition,
            "approximateInvokeCount": batch.invocations,
        },
        "version": "1.0",
        "timestamp": _told(now, "milliseconds"),
        "DDBStreamBatchInfo": {
            "shardId": shard,
            "startSequenceNumber": first.sequence,
            "endSequenceNumber": last.sequence,
            "approximateArrivalOfFirstRecord": _told(first.created_at, "seconds"),
            "approximateArrivalOfLastRecord": _told(last.created_at, "seconds"),
            "batchSize": len(batch.changes),
            "streamArn": first.record["eventSourceARN"],
        },
    }
    if batch.last is not None:
        response: dict[str, Any] = {"statusCode": 200, "executedVersion": "$LATEST"}
        if batch.last.error is not None:
            response["functionError"] = "Unhandled"
        message["responseContext"] = response
    return message


def _told(instant: int, precision: str) -> str:
    moment = datetime.fromtimestamp(instant / 1000, UTC)
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")
