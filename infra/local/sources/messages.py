"""One message of a queue, and the digests by which clients see that it arrived whole.

Pure. Knows what SQS itself adds to a message, and which of it a receiver may ask for.
"""

import base64
import hashlib
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.cloudformation.intrinsics import Place

TEXT: Final = b"\x01"
BINARY: Final = b"\x02"
ALL: Final = frozenset({"All", ".*", "*"})
SYSTEM_ATTRIBUTES: Final = frozenset(
    {
        "AWSTraceHeader",
        "ApproximateFirstReceiveTimestamp",
        "ApproximateReceiveCount",
        "DeadLetterQueueSourceArn",
        "MessageDeduplicationId",
        "MessageGroupId",
        "SenderId",
        "SentTimestamp",
        "SequenceNumber",
    }
)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What a sender hands in, checked; without a delay of its own it has the queue's."""

    body: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    delay_s: int | None = None
    group_id: str | None = None
    deduplication_id: str | None = None
    trace_header: str | None = None


@dataclass(slots=True)
class Message:
    """One message; instants in epoch milliseconds. It can be received from `visible_at` on.

    `kept_since` is the instant its retention counts from, `receives_here` counts for the redrive
    of the queue it lies in, `receive_count` over all queues.
    """

    id: str
    body: str
    attributes: Mapping[str, Any]
    sent_at: int
    visible_at: int
    kept_since: int
    group_id: str | None = None
    deduplication_id: str | None = None
    sequence: str | None = None
    trace_header: str | None = None
    source_arn: str | None = None
    receive_count: int = 0
    receives_here: int = 0
    first_received_at: int | None = None
    received_at: int = 0
    receipt: str | None = None

    @property
    def md5(self) -> str:
        """The digest of the body that clients compare."""
        return hashlib.md5(self.body.encode(), usedforsecurity=False).hexdigest()

    def is_in_flight(self, now: int) -> bool:
        """Say whether somebody received it and its visibility timeout runs."""
        return self.receipt is not None and self.visible_at > now


def system_attributes(message: Message, place: Place) -> dict[str, str]:
    """Return the attributes that SQS itself gives a received message."""
    given = {
        "ApproximateReceiveCount": str(message.receive_count),
        "SentTimestamp": str(message.sent_at),
        "SenderId": place.account,
        "ApproximateFirstReceiveTimestamp": str(message.first_received_at),
        "AWSTraceHeader": message.trace_header,
        "DeadLetterQueueSourceArn": message.source_arn,
        "MessageDeduplicationId": message.deduplication_id,
        "MessageGroupId": message.group_id,
        "SequenceNumber": message.sequence,
    }
    return {name: value for name, value in given.items() if value is not None}


def asked_for(attributes: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the message attributes that a receiver asked for by name, prefix or `All`."""
    wanted = set(names)
    if wanted & ALL:
        return dict(attributes)
    prefixes = tuple(name.removesuffix(".*") for name in wanted if name.endswith(".*"))
    return {
        name: value
        for name, value in attributes.items()
        if name in wanted or (prefixes and name.startswith(prefixes))
    }


def attributes_md5(attributes: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the digest of attributes (SQS guide, "Calculating the MD5 message digest")."""
    digest = hashlib.md5(usedforsecurity=False)
    for name in sorted(attributes):
        attribute = attributes[name]
        kind, value = attribute_value(attribute)
        for part in (name.encode(), str(attribute["DataType"]).encode()):
            digest.update(struct.pack("!I", len(part)) + part)
        digest.update(kind + struct.pack("!I", len(value)) + value)
    return digest.hexdigest()


def attribute_value(attribute: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """Return how a value is transported, as text or as bytes, and its bytes."""
    if str(attribute["DataType"]).startswith("Binary"):
        return BINARY, base64.b64decode(str(attribute.get("BinaryValue") or ""))
    return TEXT, str(attribute.get("StringValue") or "").encode()
