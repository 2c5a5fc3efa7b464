"""Facts A1, A2 and A5: what a message becomes, and what its sender hears."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from infra.local.stack import Stack
from tests.integration.local.conftest import AwsClient

Socket = aiohttp.ClientWebSocketResponse
Event = dict[str, Any]


@pytest.mark.fact("A1.context.authorizer", "A1.message.no-query")
async def test_a1_a_message_arrives_with_what_the_authorizer_said(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        heard = await ask(socket, action="say", text="hello")
    event, context = heard["event"], heard["event"]["requestContext"]
    assert json.loads(event["body"]) == {"action": "say", "text": "hello"}
    assert "headers" not in event
    assert "queryStringParameters" not in event
    assert context["authorizer"]["name"] == "ann"
    assert context["routeKey"] == "say"
    assert context["connectionId"] == connection_id(socket)
    assert context["requestId"] == context["extendedRequestId"]
    assert len(context["messageId"]) == 16


@pytest.mark.fact("A2.one-way")
async def test_a2_what_a_function_returns_is_not_sent_without_a_route_response(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        await ask(socket, action="say", text="one")
        assert (await ask(socket, action="say", text="two"))["said"] == "two"


@pytest.mark.fact(
    "A2.failure.raises",
    "A2.failure.times-out",
    "A2.failure.malformed",
    "A2.failure.no-details",
    "A2.failure.stays-open",
    "A2.failure.one-way",
    "A2.failure.nothing-returned",
    "A5.close.1011",
)
@pytest.mark.fact("A5.frame", "A5.close.1009")
@pytest.mark.parametrize("what", ["raise", "die", "extra", "nothing", "sleep"])
async def test_a2_a_function_that_fails_gives_an_error_frame_without_details(
    stack: Stack, http: aiohttp.ClientSession, what: str
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        heard = await ask(socket, action="odd", do=what)
        assert heard == {
            "message": "Internal server error",
            "connectionId": connection_id(socket),
            "requestId": heard["requestId"],
        }
        assert (await ask(socket, action="say", text="still here"))["said"] == "still here"


async def test_a2_a_well_formed_answer_of_500_is_no_error(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        await socket.send_json({"action": "odd", "do": "refuse"})
        await stack.settle_async()
        assert (await ask(socket, action="say", text="next"))["said"] == "next"


@pytest.mark.fact("A2.no-route.frame")
@pytest.mark.parametrize("text", ['{"action":"unknown"}', "no JSON", '{"action":"$connect"}', "[]"])
async def test_a2_without_a_route_and_a_default_the_sender_is_told_forbidden(
    stack: Stack, http: aiohttp.ClientSession, text: str
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        await socket.send_str(text)
        heard = await socket.receive_json(timeout=5)
    assert heard["message"] == "Forbidden"
    assert set(heard) == {"message", "connectionId", "requestId"}


async def test_a5_messages_of_one_connection_are_handled_side_by_side(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        await socket.send_json({"action": "odd", "do": "sleep"})
        assert (await ask(socket, action="say", text="not held up"))["said"] == "not held up"


@pytest.mark.parametrize(
    ("size", "code"),
    [(32 * 1024, None), (32 * 1024 + 1, 1009), (200_000, 1009)],
)
async def test_a5_a_frame_of_more_than_32_kb_closes_with_1009(
    stack: Stack, http: aiohttp.ClientSession, size: int, code: int | None
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann", max_msg_size=0) as socket:
        shell = json.dumps({"action": "say", "text": ""})
        await socket.send_str(shell.replace('""', f'"{"x" * (size - len(shell))}"'))
        received = await socket.receive(timeout=5)
        assert (received.data if received.type is aiohttp.WSMsgType.CLOSE else None) == code


@pytest.mark.fact("A5.close.1003")
async def test_a5_a_binary_frame_closes_with_1003(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        await socket.send_bytes(b"\x00")
        received = await socket.receive(timeout=5)
        assert (received.type, received.data) == (aiohttp.WSMsgType.CLOSE, 1003)


@pytest.mark.fact("A5.order.first-message")
async def test_many_clients_hear_each_other(stack: Stack, http: aiohttp.ClientSession) -> None:
    sockets = [await http.ws_connect(f"{stack.websocket_url}?name=n{n}") for n in range(20)]
    await sockets[0].send_json({"action": "say", "text": "to all", "to": "all"})
    heard = await asyncio.gather(*(socket.receive_json(timeout=10) for socket in sockets))
    assert {one["said"] for one in heard} == {"to all"}
    await asyncio.gather(*(socket.close() for socket in sockets))


async def test_a_worker_handles_one_event_at_a_time_and_several_workers_share_the_work(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        for n in range(40):
            await socket.send_json({"action": "say", "text": n})
        heard = [await socket.receive_json(timeout=10) for _ in range(40)]
    assert sorted(one["said"] for one in heard) == list(range(40))
    assert 1 <= len({one["pid"] for one in heard}) <= 4
    assert all(1000 < one["left"] <= 2000 for one in heard)


async def test_a_page_finds_the_websocket(stack: Stack, http: aiohttp.ClientSession) -> None:
    async with http.get(f"{stack.url}/_local/config") as answer:
        assert await answer.json() == {"websocket": "/live"}


async def test_the_table_of_the_template_has_its_index(stack: Stack, aws: AwsClient) -> None:
    described = aws("dynamodb").describe_table(TableName=stack.table_name("People"))["Table"]
    assert [index["IndexName"] for index in described["GlobalSecondaryIndexes"]] == ["by_name"]


async def ask(socket: Socket, **message: object) -> Event:
    await socket.send_json(message)
    heard: Event = await socket.receive_json(timeout=10)
    return heard


def connection_id(socket: Socket) -> str:
    return str(socket._response.headers["X-Local-Connection-Id"])
