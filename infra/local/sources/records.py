"""The events that queues and schedules send to functions, in the shapes that AWS gives them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from infra.local.cloudformation.intrinsics import Place
from infra.local.ids import uuid_text
from infra.local.json_values import Json
from infra.local.sources.messages import Message, system_attributes
from infra.local.sources.queue_specs import QueueSpec


def sqs_event(messages: list[Message], queue: QueueSpec, place: Place) -> dict[str, Any]:
    """Return the event of a batch of queue messages."""
    return {"Records": [_sqs_record(message, queue, place) for message in messages]}


def rule_event(arn: str, place: Place, now: int) -> dict[str, Any]:
    """Return the event of an EventBridge rule with a schedule."""
    return _scheduled(arn, place, now, "aws.events", {})


def scheduler_event(arn: str, place: Place, now: int) -> dict[str, Any]:
    """Return the event of EventBridge Scheduler for a target without an input of its own."""
    return _scheduled(arn, place, now, "aws.scheduler", "{}")


def instant_text(instant: int) -> str:
    """Return an instant as schedules tell it, e.g. `2022-03-22T18:59:43Z`."""
    return datetime.fromtimestamp(instant // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _scheduled(arn: str, place: Place, now: int, source: str, detail: Json) -> dict[str, Any]:
    return {
        "version": "0",
        "id": uuid_text(),
        "detail-type": "Scheduled Event",
        "source": source,
        "account": place.account,
        "time": instant_text(now),
        "region": place.region,
        "resources": [arn],
        "detail": detail,
    }


def _sqs_record(message: Message, queue: QueueSpec, place: Place) -> dict[str, Any]:
    return {
        "messageId": message.id,
        "receiptHandle": message.receipt,
        "body": message.body,
        "attributes": system_attributes(message, place),
        "messageAttributes": {
            name: _record_attribute(value) for name, value in message.attributes.items()
        },
        "md5OfBody": message.md5,
        "eventSource": "aws:sqs",
        "eventSourceARN": queue.arn,
        "awsRegion": place.region,
    }


def _record_attribute(value: Mapping[str, Any]) -> dict[str, Any]:
    record: dict[str, Any] = {"stringListValues": [], "binaryListValues": []}
    for theirs, ours in (
        ("StringValue", "stringValue"),
        ("BinaryValue", "binaryValue"),
        ("DataType", "dataType"),
    ):
        if theirs in value:
            record[ours] = value[theirs]
    return record
