"""The test clock reaches queues, schedules, stamps and functions; facts C of SQS event sources."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from infra.local.stack import Stack
from infra.local.timing.clock import TestClock
from tests.integration.local.conftest import CHAT, AwsClient, aws_client, ear

MINUTE_MS = 60_000


@pytest.mark.fact("C.sqs.delay", "C.sqs.source.event", "C.sqs.system-attributes")
async def test_a_delayed_message_comes_when_its_instant_comes_and_not_before(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        start = stack.now()
        await socket.send_json({"action": "later", "text": "ding", "seconds": 590})
        async with ear(socket) as heard:
            await stack.advance_async(590_000 - 1)
            assert heard == []
            assert await stack.advance_async(1) == start + 590_000
    (rung,) = heard
    assert rung["rang"] == "ding"
    assert rung["time"] == start + 590_000
    record = rung["record"]
    assert set(record) == {
        "messageId",
        "receiptHandle",
        "body",
        "attributes",
        "messageAttributes",
        "md5OfBody",
        "eventSource",
        "eventSourceARN",
        "awsRegion",
    }
    assert record["eventSource"] == "aws:sqs"
    assert record["eventSourceARN"].startswith("arn:aws:sqs:us-east-1:")
    assert record["attributes"]["SentTimestamp"] == str(start)
    assert record["attributes"]["ApproximateReceiveCount"] == "1"
    assert record["attributes"]["ApproximateFirstReceiveTimestamp"] == str(start + 590_000)


async def test_due_events_come_in_order_each_at_its_own_instant(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        start = stack.now()
        for seconds in (50, 10, 30):
            await socket.send_json({"action": "later", "text": seconds, "seconds": seconds})
        async with ear(socket) as rings:
            await stack.advance_async(MINUTE_MS)
    heard = [(ring["rang"], ring["time"]) for ring in rings]
    assert heard == [(seconds, start + seconds * 1000) for seconds in (10, 30, 50)]


async def test_an_advance_waits_for_the_answers_of_clients(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    """Each ring is answered by asking for the next: an hour of them passes in one advance."""
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        start = stack.now()
        instants: list[int] = []

        async def answer() -> None:
            async for message in socket:
                instants.append(json.loads(message.data)["time"] - start)
                await socket.send_json({"action": "later", "seconds": 300})

        answering = asyncio.create_task(answer())
        await socket.send_json({"action": "later", "seconds": 300})
        await stack.advance_async(60 * MINUTE_MS)
        answering.cancel()
    assert instants == [n * 300_000 for n in range(1, 13)]


async def test_functions_and_stamps_see_the_same_frozen_instant(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        connected = stack.now()
        await stack.advance_async(1234)
        await socket.send_json({"action": "say"})
        heard = await socket.receive_json(timeout=5)
    context = heard["event"]["requestContext"]
    assert heard["time"] == context["requestTimeEpoch"] == connected + 1234
    assert context["connectedAt"] == connected


@pytest.mark.fact("C.sqs.source.failure", "C.sqs.redrive")
async def test_a_failed_message_reappears_after_its_visibility_and_ends_among_dead_letters(
    stack: Stack, aws: AwsClient
) -> None:
    sqs = aws("sqs")
    body = json.dumps({"fail": True})
    sent = sqs.send_message(QueueUrl=stack.queue_url("Later"), MessageBody=body)["MessageId"]
    await stack.settle_async()
    before = stack.metrics()["deliveries"]
    await stack.advance_async(20_000 - 1)
    assert stack.metrics()["deliveries"] == before
    await stack.advance_async(1)
    assert stack.metrics()["deliveries"] == before + 1
    assert dead_letters(stack, sqs) == []
    await stack.advance_async(20_000)
    assert stack.metrics()["deliveries"] == before + 1
    (dead,) = dead_letters(stack, sqs)
    assert (dead["MessageId"], dead["Body"]) == (sent, body)


@pytest.mark.fact("C.sqs.source.partial")
async def test_in_a_batch_only_what_failed_is_delivered_again(stack: Stack, aws: AwsClient) -> None:
    sqs, queue = aws("sqs"), stack.queue_url("Later")
    entries = [
        {"Id": str(n), "MessageBody": json.dumps({"fail": n == 1}), "DelaySeconds": 5}
        for n in range(3)
    ]
    assert len(sqs.send_message_batch(QueueUrl=queue, Entries=entries)["Successful"]) == 3
    before = stack.metrics()["deliveries"]
    await stack.advance_async(5_000)
    assert stack.metrics()["deliveries"] == before + 3
    await stack.advance_async(20_000)
    assert stack.metrics()["deliveries"] == before + 4
    await stack.advance_async(20_000)
    assert len(dead_letters(stack, sqs)) == 1


async def test_a_schedule_runs_its_function_at_its_rate(stack: Stack, aws: AwsClient) -> None:
    dynamodb = aws("dynamodb")
    before = await ticks(stack, dynamodb)
    await stack.advance_async(15 * MINUTE_MS)
    assert len(await ticks(stack, dynamodb) - before) == 3


async def test_whatever_a_handler_asks_the_time_with_it_is_told_the_test_clocks_instant(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        await socket.send_json({"action": "odd", "do": "clocks"})
        before = await socket.receive_json(timeout=5)
        async with ear(socket) as heard:
            now = await stack.advance_async(300_000)
            await socket.send_json({"action": "odd", "do": "clocks"})
            await stack.settle_async()
    (told,) = heard
    assert told["instants"] == dict.fromkeys(told["instants"], now)
    moment = datetime.fromtimestamp(now // 1000, UTC)
    assert told["texts"] == dict.fromkeys(told["texts"], moment.strftime("%Y-%m-%d %H:%M:%S"))
    assert told["today"] == moment.date().isoformat()
    assert told["uuid1"] == now
    assert before["instants"]["datetime.now"] == now - 300_000


async def test_time_outs_and_waits_inside_a_handler_stay_real(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        await socket.send_json({"action": "odd", "do": "clocks"})
        waited = (await socket.receive_json(timeout=5))["waited"]
    assert {name for name, seconds in waited.items() if 0.015 < seconds < 1} == set(waited)


@pytest.mark.parametrize("arguments", [[], ["--in-process"]])
async def test_requests_signed_years_ahead_of_the_machine_are_accepted(
    tmp_path: Path, http: aiohttp.ClientSession, arguments: list[str]
) -> None:
    """Signatures carry the test clock's time; so do the rows and messages that handlers write."""
    far = 2_500_000_000_000
    TestClock(tmp_path / "clock", far)
    with Stack.start(
        template=CHAT, state=tmp_path, test_clock=True, arguments=arguments
    ) as running:
        assert running.now() == far
        async with http.ws_connect(f"{running.websocket_url}?name=ann") as socket:
            await socket.send_json({"action": "odd", "do": "clocks"})
            assert (await socket.receive_json(timeout=5))["instants"]["datetime.now"] == far
            await socket.send_json({"action": "later", "text": "ding", "seconds": 5})
            async with ear(socket) as heard:
                await running.advance_async(5_000)
            assert [ring["time"] for ring in heard] == [far + 5_000]
            connection_id = socket._response.headers["X-Local-Connection-Id"]
            api = aws_client(running, "apigatewaymanagementapi")
            assert api.get_connection(ConnectionId=connection_id)["ConnectedAt"] == (
                datetime.fromtimestamp(far / 1000, UTC)
            )
        noted = aws_client(running, "dynamodb").get_item(
            TableName=running.table_name("People"), Key={"id": {"S": connection_id}}
        )
        trace_id = json.loads(noted["Item"]["connect"]["S"])["headers"]["X-Amzn-Trace-Id"]
        assert trace_id.startswith(f"Root=1-{far // 1000:08x}-")


async def ticks(stack: Stack, dynamodb: Any) -> set[str]:  # noqa: ANN401 - clients are made at run time
    await stack.settle_async()
    items = dynamodb.scan(TableName=stack.table_name("People"))["Items"]
    return {item["id"]["S"] for item in items if item["id"]["S"].startswith("tick-")}


def dead_letters(stack: Stack, sqs: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - the same
    received = sqs.receive_message(QueueUrl=stack.queue_url("Dead"), MaxNumberOfMessages=10)
    messages = list(received.get("Messages", []))
    for message in messages:
        sqs.delete_message(QueueUrl=stack.queue_url("Dead"), ReceiptHandle=message["ReceiptHandle"])
    return messages
