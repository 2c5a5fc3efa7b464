"""What is told of an event that nobody waited for, once it was handled or given up.

The invocation record of a destination, and the dead letter: the event as it was, with what went
wrong in its attributes. Lambda developer guide, "Capturing records of asynchronous invocations".
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from infra.local.json_values import Json
from infra.local.lambdas.error_payload import error_payload
from infra.local.lambdas.invocation import FunctionError, Outcome
from infra.local.lambdas.qualifiers import LATEST

SUCCESS: Final = "Success"
RETRIES_EXHAUSTED: Final = "RetriesExhausted"
EVENT_AGE_EXCEEDED: Final = "EventAgeExceeded"
LONGEST_ERROR: Final = 1024


@dataclass(frozen=True, slots=True)
class Invocation:
    """An event and how often its function ran; `arn` is the function's with its qualifier."""

    request_id: str
    arn: str
    event: Json
    attempts: int


def record(invocation: Invocation, condition: str, outcome: Outcome, now: int) -> str:
    """Return the record for a destination as JSON."""
    moment = datetime.fromtimestamp(now / 1000, UTC)
    answered: dict[str, Any] = {"statusCode": 200, "executedVersion": LATEST}
    if outcome.error is not None:
        answered["functionError"] = "Unhandled"
    return json.dumps(
        {
            "version": "1.0",
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now % 1000:03d}Z",
            "requestContext": {
                "requestId": invocation.request_id,
                "functionArn": invocation.arn,
                "condition": condition,
                "approximateInvokeCount": invocation.attempts,
            },
            "requestPayload": invocation.event,
            "responseContext": answered,
            "responsePayload": _answer(outcome, invocation.request_id),
        }
    )


def dead_letter_attributes(error: FunctionError, request_id: str) -> dict[str, Any]:
    """Return the attributes of a dead letter in the shape of queue messages."""
    message = str(error_payload(error, request_id)["errorMessage"])
    kept = message.encode()[:LONGEST_ERROR].decode(errors="ignore")
    attributes = {
        "RequestID": {"DataType": "String", "StringValue": request_id},
        "ErrorCode": {"DataType": "Number", "StringValue": "200"},
    }
    # A queue takes no empty text.
    if kept:
        attributes["ErrorMessage"] = {"DataType": "String", "StringValue": kept}
    return attributes


def _answer(outcome: Outcome, request_id: str) -> Json:
    if outcome.error is None:
        return outcome.value
    return error_payload(outcome.error, request_id)
