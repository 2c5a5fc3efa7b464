"""Changes of a table as a function is told of them, made from what DynamoDB Streams gives.

Knows the record of a Lambda event. Its size and, on a test clock, its instant are ours: MiniStack
gives none and the machine's.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from infra.local.cloudformation.intrinsics import Place
from infra.local.streams.sizes import item_size
from infra.local.timing.clock import Clock

IMAGES: Final = ("Keys", "NewImage", "OldImage")


@dataclass(frozen=True, slots=True)
class Change:
    """One record. `created_at` and `ready_at` are epoch milliseconds; not handed over before."""

    record: Mapping[str, Any]
    created_at: int
    ready_at: int
    size: int

    @classmethod
    def of(cls, record: Mapping[str, Any], created_at: int, ready_at: int) -> Self:
        """Return the change that a Lambda record tells of."""
        return cls(record, created_at, ready_at, len(json.dumps(record)))

    @property
    def sequence(self) -> str:
        """Its place in the stream."""
        return str(self.record["dynamodb"]["SequenceNumber"])

    @property
    def partition(self) -> str:
        """The partition key of the item that changed."""
        keys = self.record["dynamodb"]["Keys"]
        return json.dumps(next(iter(keys.values())))

    @property
    def item(self) -> str:
        """Which item changed: all of its key."""
        return json.dumps(self.record["dynamodb"]["Keys"], sort_keys=True)


def lambda_record(
    raw: Mapping[str, Any], stream_arn: str, place: Place, clock: Clock
) -> dict[str, Any]:
    """Return the record of a Lambda event for one that GetRecords returned."""
    data = raw["dynamodb"]
    created = clock.now() // 1000 if clock.is_frozen else int(data["ApproximateCreationDateTime"])
    record: dict[str, Any] = {
        "eventID": str(raw["eventID"]).replace("-", ""),
        "eventName": raw["eventName"],
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": place.region,
        "dynamodb": {
            "ApproximateCreationDateTime": created,
            **{image: data[image] for image in IMAGES if image in data},
            "SequenceNumber": data["SequenceNumber"],
            "SizeBytes": sum(item_size(data[image]) for image in IMAGES if image in data),
            "StreamViewType": data["StreamViewType"],
        },
        "eventSourceARN": stream_arn,
    }
    if "userIdentity" in raw:
        record["userIdentity"] = raw["userIdentity"]
    return record
