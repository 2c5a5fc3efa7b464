"""Functions that note what the streams of tables tell them."""

import json
import os
from typing import Any

import boto3

Event = dict[str, Any]

seen = boto3.resource("dynamodb").Table(os.environ["SEEN"])


def note(event: Event, context: Any) -> None:  # noqa: ANN401
    _note("note", event)


def pick(event: Event, context: Any) -> Event:  # noqa: ANN401
    """Fail for what is marked `raise`, and say that what is marked `fail` has failed."""
    _note("pick", event)
    marks = {
        record["dynamodb"]["SequenceNumber"]: record["dynamodb"]["NewImage"]["poison"]["S"]
        for record in event["Records"]
    }
    if "raise" in marks.values():
        raise ValueError("poison")
    failed = [{"itemIdentifier": number} for number, mark in marks.items() if mark == "fail"]
    return {"batchItemFailures": failed}


def _note(who: str, event: Event) -> None:
    last = event["Records"][-1]["dynamodb"]["SequenceNumber"]
    seen.update_item(
        Key={"id": who},
        UpdateExpression="SET events = list_append(if_not_exists(events, :none), :event)",
        ExpressionAttributeValues={":none": [], ":event": [json.dumps({**event, "last": last})]},
    )
