"""SQS through a real AWS client against the endpoint alone, on a clock of the test's own."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from aiohttp import web
from botocore.exceptions import ClientError

from infra.local.cloudformation.intrinsics import Place
from infra.local.lambdas.invocation import FunctionError, Outcome
from infra.local.sources.deliveries import failed_ids
from infra.local.sources.messages import Outgoing
from infra.local.sources.queue_specs import QueueSpec
from infra.local.sources.queues import Queues
from infra.local.sources.sqs import SqsEndpoint
from infra.local.timing.clock import TestClock

START = 1_800_000_000_000
ARN = "arn:aws:sqs:us-east-1:000000000000:"


class Sqs:
    """The queues, their clock, and a client that talks to them from a thread."""

    def __init__(self, queues: Queues, clock: TestClock, endpoint: str) -> None:
        make: Any = boto3.client
        self.queues, self.clock, self.url = queues, clock, f"{endpoint}/000000000000/work"
        self.client = make(
            "sqs",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )

    async def call(self, operation: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - as the client takes them
        parameters.setdefault("QueueUrl", self.url)
        return dict(await asyncio.to_thread(getattr(self.client, operation), **parameters))

    async def receive(self, **parameters: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - the same
        answer = await self.call("receive_message", MaxNumberOfMessages=10, **parameters)
        return list(answer.get("Messages", []))

    def wait(self, seconds: float) -> None:
        self.clock.set(self.clock.now() + round(seconds * 1000))


def specs() -> list[QueueSpec]:
    dead = QueueSpec("dead", ARN + "dead", "http://x/_sqs/0/dead")
    work = QueueSpec(
        "work", ARN + "work", "http://x/_sqs/0/work", most_receives=2, dead_letters=dead.arn
    )
    return [work, dead]


@pytest.fixture
async def sqs(tmp_path: Path) -> AsyncIterator[Sqs]:
    clock = TestClock(tmp_path / "clock", START)
    queues = Queues(specs(), clock)
    runner = web.ServerRunner(web.Server(SqsEndpoint(queues, Place()).answer))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    yield Sqs(queues, clock, f"http://{host}:{port}/_sqs")
    await runner.cleanup()


async def test_a_sent_message_is_confirmed_with_its_digest_and_received_as_it_was(sqs: Sqs) -> None:
    attributes = {"kind": {"DataType": "String", "StringValue": "bell"}}
    sent = await sqs.call("send_message", MessageBody="grüß dich", MessageAttributes=attributes)
    assert sent["MD5OfMessageBody"] == hashlib.md5("grüß dich".encode()).hexdigest()  # noqa: S324 - SQS's own
    (message,) = await sqs.receive(AttributeNames=["All"], MessageAttributeNames=["All"])
    assert message["MessageId"] == sent["MessageId"]
    assert message["Body"] == "grüß dich"
    assert message["MD5OfMessageAttributes"] == sent["MD5OfMessageAttributes"]
    assert message["MessageAttributes"]["kind"]["StringValue"] == "bell"
    assert message["Attributes"] == {
        "ApproximateReceiveCount": "1",
        "SentTimestamp": str(START),
        "SenderId": "000000000000",
        "ApproximateFirstReceiveTimestamp": str(START),
    }


async def test_a_delayed_message_is_not_received_before_its_instant(sqs: Sqs) -> None:
    await sqs.call("send_message", MessageBody="later", DelaySeconds=900)
    sqs.wait(899.999)
    assert await sqs.receive() == []
    sqs.wait(0.001)
    assert [one["Body"] for one in await sqs.receive()] == ["later"]


@pytest.mark.parametrize("delay", [-1, 901])
async def test_a_delay_beyond_fifteen_minutes_is_refused(sqs: Sqs, delay: int) -> None:
    with pytest.raises(ClientError) as refused:
        await sqs.call("send_message", MessageBody="x", DelaySeconds=delay)
    assert refused.value.response["Error"]["Code"] == "InvalidParameterValue"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


async def test_a_queue_that_does_not_exist_raises_the_exception_of_that_name(sqs: Sqs) -> None:
    with pytest.raises(sqs.client.exceptions.QueueDoesNotExist):
        await sqs.call("send_message", QueueUrl=sqs.url + "s", MessageBody="x")


async def test_a_received_message_is_invisible_until_its_timeout_and_gone_when_deleted(
    sqs: Sqs,
) -> None:
    await sqs.call("send_message", MessageBody="x")
    (first,) = await sqs.receive()
    assert await sqs.receive() == []
    sqs.wait(30)
    (second,) = await sqs.receive()
    assert second["ReceiptHandle"] != first["ReceiptHandle"]
    await sqs.call("delete_message", ReceiptHandle=first["ReceiptHandle"])
    assert len(sqs.queues.by_name["work"].messages) == 1
    await sqs.call("delete_message", ReceiptHandle=second["ReceiptHandle"])
    assert len(sqs.queues.by_name["work"].messages) == 0


async def test_visibility_can_be_changed(sqs: Sqs) -> None:
    await sqs.call("send_message", MessageBody="x")
    (message,) = await sqs.receive()
    receipt = message["ReceiptHandle"]
    await sqs.call("change_message_visibility", ReceiptHandle=receipt, VisibilityTimeout=0)
    assert len(await sqs.receive()) == 1


async def test_a_message_received_too_often_goes_to_the_dead_letters(sqs: Sqs) -> None:
    await sqs.call("send_message", MessageBody="poison")
    for _ in range(2):
        assert len(await sqs.receive()) == 1
        sqs.wait(30)
    assert await sqs.receive() == []
    (dead,) = await sqs.receive(QueueUrl=sqs.url.replace("work", "dead"))
    assert dead["Body"] == "poison"


async def test_in_a_batch_each_entry_stands_for_itself(sqs: Sqs) -> None:
    entries = [
        {"Id": "good", "MessageBody": "x"},
        {"Id": "bad", "MessageBody": "x", "DelaySeconds": 1000},
    ]
    answer = await sqs.call("send_message_batch", Entries=entries)
    assert [one["Id"] for one in answer["Successful"]] == ["good"]
    assert [(one["Id"], one["Code"]) for one in answer["Failed"]] == [
        ("bad", "InvalidParameterValue")
    ]


async def test_a_queue_is_found_by_name_and_tells_its_counts(sqs: Sqs) -> None:
    await sqs.call("send_message", MessageBody="x")
    await sqs.call("send_message", MessageBody="y", DelaySeconds=5)
    url = await asyncio.to_thread(sqs.client.get_queue_url, QueueName="work")
    assert url["QueueUrl"] == "http://x/_sqs/0/work"
    told = (await sqs.call("get_queue_attributes", AttributeNames=["All"]))["Attributes"]
    assert told["ApproximateNumberOfMessages"] == "1"
    assert told["ApproximateNumberOfMessagesDelayed"] == "1"
    assert told["QueueArn"] == ARN + "work"


def test_messages_are_saved_with_their_instants(tmp_path: Path) -> None:
    clock = TestClock(tmp_path / "clock", START)
    before = Queues(specs(), clock)
    before.by_name["work"].send(Outgoing("later", delay_s=600))
    before.save(tmp_path / "queues.json")
    after = Queues(specs(), clock)
    due: list[int] = []
    after.by_name["work"].listeners.append(due.append)
    after.restore(tmp_path / "queues.json")
    assert due == [START + 600_000]
    assert after.by_name["work"].messages == before.by_name["work"].messages


@pytest.mark.parametrize(
    ("value", "failed"),
    [
        (None, set()),
        ({}, set()),
        ({"batchItemFailures": []}, set()),
        ({"batchItemFailures": [{"itemIdentifier": "b"}]}, {"b"}),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, {"a", "b"}),
        ({"batchItemFailures": [{"itemIdentifier": "unknown"}]}, {"a", "b"}),
        ({"batchItemFailures": ["b"]}, {"a", "b"}),
        ("done", {"a", "b"}),
    ],
)
def test_c_partial_batch_responses_name_what_failed(value: Any, failed: set[str]) -> None:  # noqa: ANN401 - whatever handlers return
    outcome = Outcome(value=value)
    assert failed_ids(outcome, reports_failures=True, batch={"a", "b"}) == failed


def test_c_an_exception_fails_the_whole_batch() -> None:
    outcome = Outcome(error=FunctionError("ValueError", "x"))
    assert failed_ids(outcome, reports_failures=False, batch={"a", "b"}) == {"a", "b"}
