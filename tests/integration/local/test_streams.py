"""What is written to a table reaches functions through its stream, on real processes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.stack import Stack
from tests.integration.local.conftest import aws_client

TEMPLATE = Path(__file__).parent / "streams.yaml"
HOUR_MS = 3_600_000


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    state = tmp_path_factory.mktemp("streams")
    with Stack.start(template=TEMPLATE, state=state, test_clock=True) as stack:
        yield stack


@pytest.fixture
def stack(running: Stack) -> Iterator[Stack]:
    """The system, with nothing noted yet."""
    running.settle()
    forget(running)
    yield running
    running.advance(200_000)


@pytest.fixture
def dynamodb(stack: Stack) -> Any:  # noqa: ANN401 - clients are made at run time
    return aws_client(stack, "dynamodb")


def forget(stack: Stack) -> None:
    client = aws_client(stack, "dynamodb")
    for who in ("note", "pick"):
        client.delete_item(TableName=stack.table_name("Seen"), Key={"id": {"S": who}})


def events(stack: Stack, who: str = "note") -> list[Any]:
    """Return the events that a function has seen."""
    client = aws_client(stack, "dynamodb")
    item = client.get_item(TableName=stack.table_name("Seen"), Key={"id": {"S": who}}).get("Item")
    return [json.loads(one["S"]) for one in item["events"]["L"]] if item else []


def records(stack: Stack, who: str = "note") -> list[Any]:
    return [record for event in events(stack, who) for record in event["Records"]]


def key(number: int, id_: str = "a") -> dict[str, Any]:
    return {"id": {"S": id_}, "n": {"N": str(number)}}


@pytest.mark.fact("C.streams.event.shape", "C.streams.event.names", "C.streams.event.numbers")
def test_an_item_is_made_changed_and_deleted(stack: Stack, dynamodb: Any) -> None:  # noqa: ANN401
    table = stack.table_name("Both")
    dynamodb.put_item(TableName=table, Item={**key(1), "text": {"S": "x"}})
    dynamodb.update_item(
        TableName=table,
        Key=key(1),
        UpdateExpression="SET #text = :text",
        ExpressionAttributeNames={"#text": "text"},
        ExpressionAttributeValues={":text": {"S": "y"}},
    )
    dynamodb.delete_item(TableName=table, Key=key(1))
    stack.settle()
    made, changed, deleted = records(stack)
    old, new = {**key(1), "text": {"S": "x"}}, {**key(1), "text": {"S": "y"}}
    assert (made["eventName"], made["dynamodb"]["NewImage"]) == ("INSERT", old)
    assert "OldImage" not in made["dynamodb"]
    assert changed["eventName"] == "MODIFY"
    assert (changed["dynamodb"]["OldImage"], changed["dynamodb"]["NewImage"]) == (old, new)
    assert (deleted["eventName"], deleted["dynamodb"]["OldImage"]) == ("REMOVE", new)
    assert "NewImage" not in deleted["dynamodb"]
    assert set(made) == {
        "eventID",
        "eventName",
        "eventVersion",
        "eventSource",
        "awsRegion",
        "dynamodb",
        "eventSourceARN",
    }
    assert made["dynamodb"]["ApproximateCreationDateTime"] == stack.now() // 1000
    assert {one["dynamodb"]["Keys"]["n"]["N"] for one in (made, changed, deleted)} == {"1"}
    numbers = [int(one["dynamodb"]["SequenceNumber"]) for one in (made, changed, deleted)]
    assert numbers == sorted(set(numbers))
    assert len({one["eventID"] for one in (made, changed, deleted)}) == 3


@pytest.mark.fact("C.streams.event.no-change")
def test_a_write_that_changes_nothing_is_not_told(stack: Stack, dynamodb: Any) -> None:  # noqa: ANN401
    table = stack.table_name("Both")
    for _ in range(2):
        dynamodb.put_item(TableName=table, Item={**key(2), "text": {"S": "x"}})
    dynamodb.update_item(
        TableName=table,
        Key=key(2),
        UpdateExpression="SET #text = :text",
        ExpressionAttributeNames={"#text": "text"},
        ExpressionAttributeValues={":text": {"S": "x"}},
    )
    dynamodb.delete_item(TableName=table, Key=key(999))
    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
        dynamodb.put_item(
            TableName=table, Item=key(2), ConditionExpression="attribute_not_exists(id)"
        )
    stack.settle()
    assert [one["eventName"] for one in records(stack)] == ["INSERT"]


@pytest.mark.fact("C.streams.event.names")
def test_transactions_and_batch_writes_are_told_item_by_item(stack: Stack, dynamodb: Any) -> None:  # noqa: ANN401
    table = stack.table_name("Both")
    change = {
        "UpdateExpression": "SET m = :m",
        "ExpressionAttributeValues": {":m": {"N": "5"}},
    }
    puts = [{"PutRequest": {"Item": key(number)}} for number in (11, 12, 13)]
    dynamodb.batch_write_item(RequestItems={table: puts})
    dynamodb.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": table, "Item": key(14)}},
            {"Update": {"TableName": table, "Key": key(11), **change}},
            {"Delete": {"TableName": table, "Key": key(12)}},
            {"Delete": {"TableName": table, "Key": key(998)}},
        ]
    )
    dynamodb.batch_write_item(RequestItems={table: [{"DeleteRequest": {"Key": key(13)}}]})
    stack.settle()
    assert [(one["eventName"], one["dynamodb"]["Keys"]["n"]["N"]) for one in records(stack)] == [
        ("INSERT", "11"),
        ("INSERT", "12"),
        ("INSERT", "13"),
        ("INSERT", "14"),
        ("MODIFY", "11"),
        ("REMOVE", "12"),
        ("REMOVE", "13"),
    ]
    changed = records(stack)[4]["dynamodb"]
    assert changed["OldImage"] == key(11)
    assert changed["NewImage"] == {**key(11), "m": {"N": "5"}}


def test_a_transaction_that_is_cancelled_is_not_told(stack: Stack, dynamodb: Any) -> None:  # noqa: ANN401
    table = stack.table_name("Both")
    impossible = {"ConditionExpression": "attribute_exists(id)"}
    with pytest.raises(dynamodb.exceptions.TransactionCanceledException):
        dynamodb.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": table, "Item": key(21)}},
                {"Put": {"TableName": table, "Item": key(22), **impossible}},
            ]
        )
    stack.settle()
    assert records(stack) == []


@pytest.mark.fact("C.streams.event.views")
@pytest.mark.parametrize(
    ("table", "images"),
    [
        ("Keys", [set(), set(), set()]),
        ("New", [{"NewImage"}, {"NewImage"}, set()]),
        ("Old", [set(), {"OldImage"}, {"OldImage"}]),
    ],
)
def test_a_stream_tells_what_its_view_says(
    stack: Stack,
    dynamodb: Any,  # noqa: ANN401
    table: str,
    images: list[set[str]],
) -> None:
    name = stack.table_name(table)
    dynamodb.put_item(TableName=name, Item={"id": {"S": "a"}})
    dynamodb.put_item(TableName=name, Item={"id": {"S": "a"}, "m": {"N": "1"}})
    dynamodb.delete_item(TableName=name, Key={"id": {"S": "a"}})
    stack.settle()
    told = [one["dynamodb"] for one in records(stack)]
    assert [set(one) & {"NewImage", "OldImage"} for one in told] == images
    assert [one["Keys"] for one in told] == [{"id": {"S": "a"}}] * 3


@pytest.mark.fact("C.streams.enabled")
def test_a_mapping_that_is_switched_off_invokes_nothing(stack: Stack, dynamodb: Any) -> None:  # noqa: ANN401
    dynamodb.put_item(TableName=stack.table_name("Idle"), Item={"id": {"S": "a"}})
    stack.settle()
    assert events(stack) == []


@pytest.mark.fact("C.streams.defaults")
def test_a_batch_has_a_hundred_records_by_default(stack: Stack, dynamodb: Any) -> None:  # noqa: ANN401
    puts = [{"PutRequest": {"Item": key(number, "many")}} for number in range(250)]
    for first in range(0, 250, 25):
        dynamodb.batch_write_item(RequestItems={stack.table_name("Both"): puts[first : first + 25]})
    stack.settle()
    seen = events(stack)
    assert max(len(event["Records"]) for event in seen) <= 100
    told = [int(one["dynamodb"]["Keys"]["n"]["N"]) for one in records(stack)]
    assert told == list(range(250))


@pytest.mark.fact("C.streams.bisect", "C.streams.on-failure")
def test_the_poison_is_found_and_told_and_the_rest_gets_through(
    stack: Stack,
    dynamodb: Any,  # noqa: ANN401
) -> None:
    table = stack.table_name("Both")
    marks = ["ok", "ok", "raise", "ok"]
    for number, mark in enumerate(marks):
        dynamodb.put_item(TableName=table, Item={**key(number, "p"), "poison": {"S": mark}})
    dynamodb.put_item(TableName=table, Item=key(5, "p"))
    stack.settle()
    stack.advance(1000)
    numbers = [
        [one["dynamodb"]["Keys"]["n"]["N"] for one in event["Records"]]
        for event in events(stack, "pick")
    ]
    assert numbers[-2:] == [["2"], ["3"]]
    assert not any("5" in one for one in numbers)
    told = dead_letter(stack)
    assert told["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert told["requestContext"]["functionArn"].endswith(":function:local-Picky")
    assert told["responseContext"]["functionError"] == "Unhandled"
    poison = next(one for one in records(stack, "pick") if one["dynamodb"]["Keys"]["n"]["N"] == "2")
    batch = told["DDBStreamBatchInfo"]
    assert batch["startSequenceNumber"] == poison["dynamodb"]["SequenceNumber"]
    assert (batch["batchSize"], batch["streamArn"]) == (1, poison["eventSourceARN"])


@pytest.mark.fact("C.streams.partial.lowest", "C.streams.on-failure.message")
def test_what_failed_by_its_own_answer_is_told_without_an_error(
    stack: Stack,
    dynamodb: Any,  # noqa: ANN401
) -> None:
    table = stack.table_name("Both")
    for number, mark in enumerate(["ok", "fail"]):
        dynamodb.put_item(TableName=table, Item={**key(number, "q"), "poison": {"S": mark}})
    stack.settle()
    stack.advance(1000)
    told = dead_letter(stack)
    assert told["responseContext"] == {"statusCode": 200, "executedVersion": "$LATEST"}
    assert told["DDBStreamBatchInfo"]["batchSize"] == 1


def dead_letter(stack: Stack) -> Any:  # noqa: ANN401 - JSON
    queue = aws_client(stack, "sqs")
    url = stack.queue_url("Dead")
    (message,) = queue.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    queue.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return json.loads(message["Body"])


@pytest.mark.fact("C.streams.arn")
def test_the_arn_of_a_stream_is_known_to_functions(stack: Stack, dynamodb: Any) -> None:  # noqa: ANN401
    dynamodb.put_item(TableName=stack.table_name("Both"), Item=key(31))
    stack.settle()
    (record,) = records(stack)
    table, _, label = record["eventSourceARN"].partition("/stream/")
    assert table == f"arn:aws:dynamodb:us-east-1:000000000000:table/{stack.table_name('Both')}"
    assert label.startswith("20")


@pytest.mark.fact("C.streams.start")
def test_over_a_stop_nothing_is_lost_and_nothing_told_twice(tmp_path: Path) -> None:
    with Stack.start(template=TEMPLATE, state=tmp_path, test_clock=True) as stack:
        client = aws_client(stack, "dynamodb")
        client.put_item(TableName=stack.table_name("Both"), Item=key(1))
        stack.settle()
        client.put_item(TableName=stack.table_name("Both"), Item=key(2))
    with Stack.start(template=TEMPLATE, state=tmp_path, test_clock=True) as stack:
        client = aws_client(stack, "dynamodb")
        client.put_item(TableName=stack.table_name("Both"), Item=key(3))
        stack.settle()
        numbers = [one["dynamodb"]["Keys"]["n"]["N"] for one in records(stack)]
        assert numbers == ["1", "2", "3"]


@pytest.mark.fact("C.streams.polling")
def test_on_the_machines_clock_streams_are_looked_at_by_themselves(tmp_path: Path) -> None:
    with Stack.start(template=TEMPLATE, state=tmp_path) as stack:
        client = aws_client(stack, "dynamodb")
        client.put_item(TableName=stack.table_name("Both"), Item=key(1))
        for _ in range(200):
            # Each read is a moment; asking it to settle would make it look.
            if events(stack):
                break
        else:
            pytest.fail("nothing came by itself")


@pytest.mark.fact("C.streams.ttl.identity", "C.ttl.late", "C.ttl.hours")
def test_what_has_expired_is_read_for_days_and_its_deletion_is_signed(
    stack: Stack,
    dynamodb: Any,  # noqa: ANN401
) -> None:
    table, soon = stack.table_name("Both"), stack.now() // 1000 + 60
    kept = {**key(42), "expires": {"S": str(soon)}}
    dynamodb.put_item(TableName=table, Item={**key(41), "expires": {"N": str(soon)}})
    dynamodb.put_item(TableName=table, Item=kept)
    stack.advance(47 * HOUR_MS)
    assert "Item" in dynamodb.get_item(TableName=table, Key=key(41))
    forget(stack)
    stack.advance(15 * HOUR_MS)
    assert "Item" not in dynamodb.get_item(TableName=table, Key=key(41))
    assert dynamodb.get_item(TableName=table, Key=key(42))["Item"] == kept
    (deleted,) = records(stack)
    assert deleted["eventName"] == "REMOVE"
    assert deleted["dynamodb"]["Keys"] == key(41)
    assert deleted["userIdentity"] == {
        "type": "Service",
        "principalId": "dynamodb.amazonaws.com",
    }
    dynamodb.delete_item(TableName=table, Key=key(42))
    stack.settle()
    assert "userIdentity" not in records(stack)[-1]
