"""The records of a stream as functions see them."""

from pathlib import Path
from typing import Any

import pytest

from infra.local.cloudformation.intrinsics import Place
from infra.local.streams.changes import lambda_record
from infra.local.streams.sizes import item_size
from infra.local.timing.clock import SystemClock, TestClock

STREAM = "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2025-01-01T00:00:00.000"
NEW = {"Message": {"S": "New item!"}, "Id": {"N": "101"}}
CHANGED = {"Message": {"S": "This item has changed"}, "Id": {"N": "101"}}


def raw(event: str = "MODIFY", **images: Any) -> dict[str, Any]:  # noqa: ANN401 - DynamoDB JSON
    return {
        "eventID": "c4ca4238-a0b9-2382-0dcc-509a6f75849b",
        "eventName": event,
        "dynamodb": {
            "ApproximateCreationDateTime": 1_479_499_740,
            "Keys": {"Id": {"N": "101"}},
            **images,
            "SequenceNumber": "222",
            "SizeBytes": 0,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    }


@pytest.mark.fact("C.streams.event.shape")
def test_a_record_has_what_lambda_gives_and_nothing_else() -> None:
    record = lambda_record(raw(NewImage=CHANGED, OldImage=NEW), STREAM, Place(), SystemClock())
    assert record == {
        "eventID": "c4ca4238a0b923820dcc509a6f75849b",
        "eventName": "MODIFY",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "us-east-1",
        "dynamodb": {
            "ApproximateCreationDateTime": 1_479_499_740,
            "Keys": {"Id": {"N": "101"}},
            "NewImage": CHANGED,
            "OldImage": NEW,
            "SequenceNumber": "222",
            "SizeBytes": 59,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
        "eventSourceARN": STREAM,
    }


@pytest.mark.fact("C.streams.event.size")
@pytest.mark.parametrize(
    ("images", "size"),
    [
        ({"NewImage": NEW}, 26),
        ({"OldImage": NEW, "NewImage": CHANGED}, 59),
        ({"OldImage": CHANGED}, 38),
        ({}, 5),
    ],
)
def test_a_records_size_is_that_of_its_key_and_its_images(images: Any, size: int) -> None:  # noqa: ANN401 - DynamoDB JSON
    record = lambda_record(raw(**images), STREAM, Place(), SystemClock())
    assert record["dynamodb"]["SizeBytes"] == size


def test_sizes_of_items_follow_the_documented_rules() -> None:
    assert item_size({"é": {"S": "ü"}}) == 4
    assert item_size({"a": {"B": "AAEC"}}) == 1 + 3
    assert item_size({"a": {"SS": ["x", "yz"]}}) == 1 + 3
    assert item_size({"a": {"NS": ["1", "22"]}}) == 1 + 2 + 2
    assert item_size({"a": {"BOOL": True}, "b": {"NULL": True}}) == 4
    assert item_size({"a": {"L": [{"S": "x"}]}}) == 1 + 3 + 1 + 1
    assert item_size({"a": {"M": {"k": {"S": "x"}}}}) == 1 + 3 + 1 + 2
    assert item_size({"a": {"N": "-1.50"}}) == 1 + 3
    assert item_size({"a": {"N": "0"}}) == 1 + 1


def test_on_a_test_clock_a_change_is_made_at_its_instant(tmp_path: Path) -> None:
    clock = TestClock(tmp_path / "clock", 4_000_000_000_999)
    record = lambda_record(raw(), STREAM, Place(), clock)
    assert record["dynamodb"]["ApproximateCreationDateTime"] == 4_000_000_000


@pytest.mark.fact("C.streams.ttl.identity")
def test_a_deletion_by_time_to_live_says_who_deleted() -> None:
    identity = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
    record = lambda_record(
        {**raw("REMOVE"), "userIdentity": identity}, STREAM, Place(), SystemClock()
    )
    assert record["userIdentity"] == identity
    assert "userIdentity" not in lambda_record(raw("REMOVE"), STREAM, Place(), SystemClock())
