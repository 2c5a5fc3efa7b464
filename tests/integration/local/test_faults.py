"""Switches of what AWS leaves open, each on and off, through real sockets, queues and processes."""

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from infra.local.stack import Stack, StackError
from tests.integration.local.conftest import LOOSE, AwsClient, aws_client, ear

HOUR_MS = 3_600_000
Socket = aiohttp.ClientWebSocketResponse
Heard = dict[str, Any]


@pytest.fixture
def stack(loose: Stack) -> Stack:
    """The system with its switches as at the start."""
    loose.set_faults()
    return loose


# -- messages and posts ----------------------------------------------------------------


@pytest.mark.fact("A5.order.answers", "A5.order.messages")
async def test_messages_are_handled_side_by_side(stack: Stack, http: aiohttp.ClientSession) -> None:
    async with http.ws_connect(stack.websocket_url) as socket:
        assert await order_of_slow_and_quick(socket) == ["quick", "slow"]


@pytest.mark.fact("A5.order.messages")
async def test_messages_may_be_handled_one_after_the_other(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    stack.set_faults(messages="serial")
    async with http.ws_connect(stack.websocket_url) as socket:
        assert await order_of_slow_and_quick(socket) == ["slow", "quick"]


@pytest.mark.fact("A5.order.messages")
async def test_messages_may_be_handled_in_another_order_the_same_for_a_seed(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    sent = list(range(6))
    async with http.ws_connect(stack.websocket_url) as socket:
        orders = []
        for seed in (1, 2, 1, 2):
            stack.set_faults(messages="shuffled", seed=seed)
            say_at_once(socket, sent)
            orders.append([(await hear(socket))["said"] for _ in sent])
    for order in orders:
        assert sorted(order) == sent != order
    assert orders[:2] == orders[2:]
    assert orders[0] != orders[1]
    assert stack.metrics()["faults"]["messages"] >= 4


@pytest.mark.parametrize("messages", ["concurrent", "shuffled", "serial"])
async def test_a_lone_message_is_not_held_back(
    stack: Stack, http: aiohttp.ClientSession, messages: str
) -> None:
    stack.set_faults(messages=messages)
    async with http.ws_connect(stack.websocket_url) as socket:
        async with ear(socket) as heard:
            await socket.send_json({"action": "say", "texts": ["alone"]})
            await stack.settle_async()
        assert [one["said"] for one in heard] == ["alone"]


async def test_one_connection_does_not_wait_for_another(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    stack.set_faults(messages="serial")
    async with (
        http.ws_connect(stack.websocket_url) as slow,
        http.ws_connect(stack.websocket_url) as quick,
    ):
        await slow.send_json({"action": "say", "after": 1.0, "texts": ["slow"]})
        await quick.send_json({"action": "say", "texts": ["quick"]})
        listening = [asyncio.create_task(hear(socket)) for socket in (slow, quick)]
        done, _ = await asyncio.wait(listening, return_when=asyncio.FIRST_COMPLETED)
        assert [task.result()["said"] for task in done] == ["quick"]
        await listening[0]


@pytest.mark.fact("A5.order.posts")
async def test_posts_arrive_in_their_order(stack: Stack, http: aiohttp.ClientSession) -> None:
    async with http.ws_connect(stack.websocket_url) as socket:
        assert await order_of_posts(socket) == list("abcdef")


@pytest.mark.fact("A5.order.posts")
async def test_posts_may_arrive_in_another_order(stack: Stack, http: aiohttp.ClientSession) -> None:
    async with http.ws_connect(stack.websocket_url) as socket:
        stack.set_faults(posts="shuffled")
        order = await order_of_posts(socket)
    assert sorted(order) == list("abcdef") != order
    assert stack.metrics()["faults"]["posts"] >= 1


async def test_what_was_posted_before_a_close_arrives(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    stack.set_faults(posts="shuffled")
    async with http.ws_connect(stack.websocket_url) as socket:
        await socket.send_json({"action": "say", "texts": ["one", "two"], "close": True})
        assert {(await hear(socket))["said"] for _ in range(2)} == {"one", "two"}
        assert (await socket.receive(timeout=5)).type is aiohttp.WSMsgType.CLOSE


# -- $disconnect -------------------------------------------------------------------------


@pytest.mark.fact("A3.disconnect.not-guaranteed")
async def test_a_disconnect_may_never_come_and_the_connection_is_gone_at_once(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    stack.set_faults(disconnect_dropped=1.0)
    gone = await come_and_go(stack, http)
    await assert_gone(aws, gone)
    await stack.advance_async(HOUR_MS)
    assert told_at(stack, aws, gone) is None
    assert stack.metrics()["faults"]["disconnectDropped"] == 1


async def test_the_same_ones_are_dropped_for_a_seed(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    told: list[list[bool]] = []
    for _ in range(2):
        stack.set_faults(disconnect_dropped=0.5, seed=11)
        gone = [await come_and_go(stack, http) for _ in range(8)]
        told.append([told_at(stack, aws, one) is not None for one in gone])
    assert told[0] == told[1]
    assert set(told[0]) == {True, False}


@pytest.mark.fact("A5.order.disconnect-is-late")
async def test_a_disconnect_may_be_late_and_the_connection_is_gone_at_once(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    stack.set_faults(disconnect_late=1.0, disconnect_late_ms=4000)
    left_at = stack.now()
    gone = await come_and_go(stack, http)
    await assert_gone(aws, gone)
    assert told_at(stack, aws, gone) is None
    await stack.advance_async(4000)
    told = told_at(stack, aws, gone)
    assert told is not None
    assert left_at < told <= left_at + 4000


@pytest.mark.fact("A5.order.disconnect-is-late")
async def test_a_disconnect_is_told_at_once(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    gone = await come_and_go(stack, http)
    assert told_at(stack, aws, gone) == stack.now()


async def test_a_late_disconnect_is_told_before_a_stop(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    late = ["--fault", "disconnect-late=1", "--fault", "disconnect-late-ms=600000"]
    with Stack.start(template=LOOSE, state=tmp_path, test_clock=True, arguments=late) as first:
        await come_and_go(first, http)
        assert first.metrics()["disconnects"] == 0
    with Stack.start(template=LOOSE, state=tmp_path, test_clock=True) as second:
        found = aws_client(second, "dynamodb").scan(TableName=second.table_name("Ended"))
    assert len(found["Items"]) == 1


# -- queues and schedules ----------------------------------------------------------------


@pytest.mark.fact("C.sqs.at-least-once", "C.sqs.how-often")
async def test_a_queue_message_may_come_twice_though_it_was_deleted(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    stack.set_faults(queue_doubled=1.0, queue_late_ms=1000)
    async with http.ws_connect(stack.websocket_url) as socket:
        async with ear(socket) as heard:
            await socket.send_json({"action": "say", "later": ["ding"]})
            await stack.advance_async(1000)
        first, second = heard
    assert first["rang"] == second["rang"] == ["ding"]
    (one,), (other,) = first["about"], second["about"]
    assert one["id"] == other["id"]
    assert one["receipt"] != other["receipt"]
    await stack.advance_async(HOUR_MS)
    assert waiting(stack, aws) == 0


@pytest.mark.fact("C.sqs.how-often")
async def test_a_queue_message_comes_once(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    before = stack.metrics()["deliveries"]
    async with http.ws_connect(stack.websocket_url) as socket:
        async with ear(socket) as heard:
            await socket.send_json({"action": "say", "later": ["ding"]})
            await stack.advance_async(60_000)
        assert [one["rang"] for one in heard] == [["ding"]]
    assert stack.metrics()["deliveries"] == before + 1
    assert waiting(stack, aws) == 0


@pytest.mark.fact("C.sqs.late")
@pytest.mark.parametrize("late", [0.0, 1.0])
async def test_a_queue_message_may_be_late_and_is_never_early(
    stack: Stack, http: aiohttp.ClientSession, late: float
) -> None:
    stack.set_faults(queue_late=late, queue_late_ms=3000, seed=2)
    async with http.ws_connect(stack.websocket_url) as socket, ear(socket) as heard:
        await socket.send_json({"action": "say", "later": ["ding"], "seconds": 10})
        await stack.advance_async(9_999)
        assert not heard
        await stack.advance_async(1)
        assert len(heard) == (not late)
        await stack.advance_async(3000)
        assert len(heard) == 1


@pytest.mark.fact("C.sqs.order")
@pytest.mark.parametrize("order", ["kept", "shuffled"])
async def test_a_batch_may_come_in_another_order(
    stack: Stack, http: aiohttp.ClientSession, order: str
) -> None:
    sent = list("abcde")
    heard = []
    async with http.ws_connect(stack.websocket_url) as socket:
        for _ in range(2):
            stack.set_faults(queue_order=order, seed=3)
            async with ear(socket) as rung:
                await socket.send_json({"action": "say", "later": sent, "seconds": 5})
                await stack.advance_async(5000)
            heard += [one["rang"] for one in rung]
    assert len(heard) == 2
    assert sorted(heard[0]) == sent
    assert heard[0] == heard[1]
    assert (heard[0] == sent) == (order == "kept")


@pytest.mark.fact("C.tick.twice")
@pytest.mark.parametrize("doubled", [0.0, 1.0])
async def test_a_schedule_may_run_twice(stack: Stack, doubled: float) -> None:
    await until_a_tick(stack)
    stack.set_faults(tick_doubled=doubled, tick_late_ms=1000)
    before = ticks(stack)
    await stack.advance_async(HOUR_MS + 1000)
    assert ticks(stack) - before == 1 + doubled


@pytest.mark.parametrize("late", [0.0, 1.0])
async def test_a_schedule_may_be_late_and_is_never_early(stack: Stack, late: float) -> None:
    await until_a_tick(stack)
    stack.set_faults(tick_late=late, tick_late_ms=1000)
    before = ticks(stack)
    await stack.advance_async(HOUR_MS - 1)
    assert ticks(stack) == before
    await stack.advance_async(1)
    assert ticks(stack) - before == (not late)
    await stack.advance_async(1000)
    assert ticks(stack) - before == 1


# -- all of them -------------------------------------------------------------------------


async def test_in_a_storm_everything_said_is_heard(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    stack.set_faults(preset="storm", seed=5)
    async with http.ws_connect(stack.websocket_url) as socket, ear(socket) as heard:
        for number in range(60):
            await socket.send_json({"action": "say", "texts": [number], "later": [number]})
        await stack.advance_async(60_000)
    assert sorted(one["said"] for one in heard if "said" in one) == list(range(60))
    rung = [text for one in heard for text in one.get("rang", ())]
    assert set(rung) == set(range(60))
    assert len(rung) > 60
    faults = stack.metrics()["faults"]
    for name in ("messages", "posts", "queueDoubled", "queueLate", "recycleAfter", "coldStartMs"):
        assert faults[name] > 0, name


# -- the control API ---------------------------------------------------------------------


def test_switches_are_told_and_thrown_while_it_runs(stack: Stack) -> None:
    at_start = stack.control("GET", "faults")
    assert stack.set_faults(queue_late=0.5, seed=9) == {**at_start, "queueLate": 0.5, "seed": 9}
    assert stack.control("GET", "faults")["queueLate"] == 0.5
    assert stack.set_faults() == at_start


def test_a_wrong_switch_is_refused_readably_and_changes_nothing(stack: Stack) -> None:
    before = stack.control("GET", "faults")
    with pytest.raises(StackError, match="queueLate is a share from 0 to 1"):
        stack.set_faults(queue_late=7, tick_late=0.5)
    with pytest.raises(StackError, match="no switch is called weather; there are messages,"):
        stack.set_faults(weather="bad")
    assert stack.control("GET", "faults") == before


async def hear(socket: Socket) -> Heard:
    heard: Heard = await socket.receive_json(timeout=20)
    return heard


async def order_of_slow_and_quick(socket: Socket) -> list[str]:
    await socket.send_json({"action": "say", "after": 0.5, "texts": ["slow"]})
    await socket.send_json({"action": "say", "texts": ["quick"]})
    return [(await hear(socket))["said"] for _ in range(2)]


def say_at_once(socket: Socket, texts: list[int]) -> None:
    """Send them in one go, so that they are in at the same time."""
    writer = socket._writer
    assert writer is not None
    frames = [json.dumps({"action": "say", "texts": [text]}).encode() for text in texts]
    writer.transport.write(b"".join(masked(frame) for frame in frames))


def masked(payload: bytes) -> bytes:
    """A text frame of a client, with the mask that changes nothing."""
    assert len(payload) < 126
    return bytes([0x81, 0x80 | len(payload)]) + bytes(4) + payload


async def order_of_posts(socket: Socket) -> list[str]:
    await socket.send_json({"action": "say", "texts": list("abcdef")})
    return [(await hear(socket))["said"] for _ in range(6)]


async def come_and_go(stack: Stack, http: aiohttp.ClientSession) -> str:
    async with http.ws_connect(stack.websocket_url) as socket:
        id_ = str(socket._response.headers["X-Local-Connection-Id"])
    await stack.settle_async()
    return id_


async def assert_gone(aws: AwsClient, connection: str) -> None:
    sockets = aws("apigatewaymanagementapi")
    with pytest.raises(sockets.exceptions.GoneException):
        await asyncio.to_thread(sockets.post_to_connection, ConnectionId=connection, Data=b"?")


def told_at(stack: Stack, aws: AwsClient, connection: str) -> int | None:
    found = aws("dynamodb").get_item(
        TableName=stack.table_name("Ended"), Key={"id": {"S": connection}}
    )
    return int(found["Item"]["at"]["N"]) if "Item" in found else None


def waiting(stack: Stack, aws: AwsClient) -> int:
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    told = aws("sqs").get_queue_attributes(QueueUrl=stack.queue_url("Later"), AttributeNames=names)
    return sum(int(told["Attributes"][name]) for name in names)


def ticks(stack: Stack) -> int:
    return int(stack.metrics()["invocations"].get("Clock", 0))


async def until_a_tick(stack: Stack) -> None:
    before = ticks(stack)
    while ticks(stack) == before:
        clock = stack.control("GET", "clock")
        await stack.advance_async(clock["nextDue"] - clock["now"])
