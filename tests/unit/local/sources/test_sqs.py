"""SQS through a real AWS client: what is accepted, what is answered, what is refused how."""

import asyncio
import json
import urllib.error
import urllib.request
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.unit.local.sources.conftest import ARN, START, Sqs

TEXT = {"DataType": "String", "StringValue": "bell"}


@pytest.mark.fact("C.sqs.delay", "C.sqs.errors")
@pytest.mark.parametrize("delay", [-1, 901])
async def test_a_delay_beyond_fifteen_minutes_is_refused(sqs: Sqs, delay: int) -> None:
    with pytest.raises(ClientError) as refused:
        await sqs.send("x", DelaySeconds=delay)
    assert refused.value.response["Error"]["Code"] == "InvalidParameterValue"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


@pytest.mark.fact("C.sqs.receive.most")
async def test_a_receive_gets_one_message_or_up_to_ten(sqs: Sqs) -> None:
    for n in range(12):
        await sqs.send(str(n))
    assert len((await sqs.call("receive_message"))["Messages"]) == 1
    assert len(await sqs.receive()) == 10
    for most in (0, 11):
        with pytest.raises(ClientError, match="Must be between 1 and 10, if provided"):
            await sqs.receive(MaxNumberOfMessages=most)


@pytest.mark.fact("C.sqs.receive.wait")
async def test_a_receive_waits_for_a_message(sqs: Sqs) -> None:
    receiving = asyncio.create_task(sqs.bodies(WaitTimeSeconds=20))
    await asyncio.sleep(0.2)
    assert not receiving.done()
    await sqs.send("at last")
    assert await receiving == ["at last"]


@pytest.mark.fact("C.sqs.receive.wait")
async def test_a_receive_that_gets_nothing_has_no_list_after_its_queues_wait(sqs: Sqs) -> None:
    started = asyncio.get_running_loop().time()
    answer = await sqs.call("receive_message", "slow")
    assert asyncio.get_running_loop().time() - started >= 1
    assert "Messages" not in answer
    with pytest.raises(ClientError, match="WaitTimeSeconds"):
        await sqs.receive(WaitTimeSeconds=21)


@pytest.mark.fact("C.sqs.batch")
async def test_in_a_batch_each_entry_stands_for_itself(sqs: Sqs) -> None:
    entries = [
        {"Id": "good", "MessageBody": "x"},
        {"Id": "bad", "MessageBody": "x", "DelaySeconds": 1000},
    ]
    answer = await sqs.call("send_message_batch", Entries=entries)
    assert [one["Id"] for one in answer["Successful"]] == ["good"]
    assert [(one["Id"], one["Code"], one["SenderFault"]) for one in answer["Failed"]] == [
        ("bad", "InvalidParameterValue", True)
    ]
    (message,) = await sqs.receive()
    receipts = [
        {"Id": "known", "ReceiptHandle": message["ReceiptHandle"], "VisibilityTimeout": 0},
        {"Id": "unknown", "ReceiptHandle": "nonsense", "VisibilityTimeout": 0},
    ]
    changed = await sqs.call("change_message_visibility_batch", Entries=receipts)
    assert [one["Id"] for one in changed["Successful"]] == ["known"]
    assert [one["Code"] for one in changed["Failed"]] == ["ReceiptHandleIsInvalid"]
    (message,) = await sqs.receive()
    entry = {"Id": "a", "ReceiptHandle": message["ReceiptHandle"]}
    deleted = await sqs.call("delete_message_batch", Entries=[entry])
    assert (deleted["Successful"], "Failed" in deleted) == ([{"Id": "a"}], False)
    assert sqs.queue().messages == {}


@pytest.mark.fact("C.sqs.batch")
@pytest.mark.parametrize(
    ("ids", "error"),
    [
        ([], "EmptyBatchRequest"),
        ([str(n) for n in range(11)], "TooManyEntriesInBatchRequest"),
        (["a", "a"], "BatchEntryIdsNotDistinct"),
        (["a:b"], "InvalidBatchEntryId"),
        (["x" * 81], "InvalidBatchEntryId"),
        ([""], "InvalidBatchEntryId"),
    ],
)
async def test_a_batch_out_of_shape_is_refused_whole(sqs: Sqs, ids: list[str], error: str) -> None:
    entries = [{"Id": id_, "MessageBody": "x"} for id_ in ids]
    with pytest.raises(ClientError) as refused:
        await sqs.call("send_message_batch", Entries=entries)
    assert refused.value.response["Error"]["Code"] == f"AWS.SimpleQueueService.{error}"
    assert type(refused.value) is getattr(sqs.client.exceptions, error)
    assert sqs.queue().messages == {}


@pytest.mark.fact("C.sqs.batch.size")
async def test_a_batch_has_a_mebibyte_in_all(sqs: Sqs) -> None:
    half = "x" * 524_288
    entries = [{"Id": "a", "MessageBody": half}, {"Id": "b", "MessageBody": half + "x"}]
    with pytest.raises(sqs.client.exceptions.BatchRequestTooLong, match="sent 1048577 bytes"):
        await sqs.call("send_message_batch", Entries=entries)
    entries[1]["MessageBody"] = half
    assert len((await sqs.call("send_message_batch", Entries=entries))["Successful"]) == 2


@pytest.mark.fact("C.sqs.no-such-queue", "C.sqs.errors")
async def test_a_queue_that_does_not_exist_raises_the_exception_of_that_name(sqs: Sqs) -> None:
    with pytest.raises(sqs.client.exceptions.QueueDoesNotExist) as refused:
        await sqs.send("x", "nowhere")
    code = refused.value.response["Error"]["Code"]
    assert code == "AWS.SimpleQueueService.NonExistentQueue"


@pytest.mark.fact("C.sqs.errors")
async def test_an_error_is_told_in_both_spellings(sqs: Sqs) -> None:
    def ask(body: bytes) -> tuple[dict[str, str], dict[str, Any]]:
        request = urllib.request.Request(  # noqa: S310 - our own address
            sqs.endpoint, data=body, headers={"X-Amz-Target": "AmazonSQS.GetQueueUrl"}
        )
        try:
            urllib.request.urlopen(request)  # noqa: S310 - our own address
        except urllib.error.HTTPError as error:
            return dict(error.headers), json.load(error)
        raise AssertionError("it was not refused")

    headers, told = await asyncio.to_thread(ask, b'{"QueueName": "nowhere"}')
    assert told["__type"] == "com.amazonaws.sqs#QueueDoesNotExist"
    assert headers["x-amzn-query-error"] == "AWS.SimpleQueueService.NonExistentQueue;Sender"
    for nonsense in (b"{", b"[]", b'{"QueueName": 7}'):
        _, told = await asyncio.to_thread(ask, nonsense)
        assert told["__type"].endswith("#SerializationException")


async def test_a_queue_is_found_by_name_and_tells_its_settings_and_counts(sqs: Sqs) -> None:
    await sqs.send("x")
    await sqs.send("y", DelaySeconds=5)
    await sqs.receive()
    await sqs.send("z")
    url = await asyncio.to_thread(sqs.client.get_queue_url, QueueName="work")
    assert url["QueueUrl"] == "http://x/_sqs/0/work"
    told = (await sqs.call("get_queue_attributes", AttributeNames=["All"]))["Attributes"]
    assert told == {
        "ApproximateNumberOfMessages": "1",
        "ApproximateNumberOfMessagesDelayed": "1",
        "ApproximateNumberOfMessagesNotVisible": "1",
        "CreatedTimestamp": str(START // 1000),
        "DelaySeconds": "0",
        "LastModifiedTimestamp": str(START // 1000),
        "MaximumMessageSize": "1048576",
        "MessageRetentionPeriod": "345600",
        "QueueArn": ARN + "work",
        "ReceiveMessageWaitTimeSeconds": "0",
        "RedrivePolicy": json.dumps({"deadLetterTargetArn": ARN + "dead", "maxReceiveCount": 2}),
        "SqsManagedSseEnabled": "true",
        "VisibilityTimeout": "30",
    }
    with pytest.raises(sqs.client.exceptions.InvalidAttributeName):
        await sqs.call("get_queue_attributes", AttributeNames=["Colour"])
    sources = await sqs.call("list_dead_letter_source_queues", "dead")
    assert sources["queueUrls"] == ["http://x/_sqs/0/work"]
    listed = await asyncio.to_thread(sqs.client.list_queues, QueueNamePrefix="dea")
    assert [one.rpartition("/")[2] for one in listed["QueueUrls"]] == ["dead", "dead.fifo"]
