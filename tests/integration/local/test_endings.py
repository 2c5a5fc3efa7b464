"""Facts A1, A4, A5 and A7: how connections end, and what `$disconnect` is told."""

import json
from typing import Any

import aiohttp
import pytest

from infra.local.stack import Stack
from tests.integration.local.conftest import AwsClient
from tests.integration.local.gates_at import client

MINUTE_MS = 60_000
Socket = aiohttp.ClientWebSocketResponse


@pytest.mark.fact("A1.disconnect.1005")
async def test_a1_a_client_that_closes_without_a_status_is_told_as_1005(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    socket = await http.ws_connect(f"{stack.websocket_url}?name=ann")
    await socket._writer.send_frame(b"", aiohttp.WSMsgType.CLOSE)
    assert (await ended(stack, aws, socket)) == (1005, "Client-side close frame status not set")


@pytest.mark.fact("A1.disconnect.headers", "A1.context.authorizer")
async def test_a1_disconnect_has_its_own_headers_and_the_context_of_connect(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        pass
    event = await disconnect_event(stack, aws, socket)
    assert set(event["headers"]) == {"Host", "x-api-key", "X-Forwarded-For", "x-restapi"}
    assert event["requestContext"]["eventType"] == "DISCONNECT"
    assert event["requestContext"]["authorizer"]["name"] == "ann"
    assert "queryStringParameters" not in event
    assert "body" not in event


@pytest.mark.fact("A1.disconnect.client-code")
async def test_a1_a_client_that_closes_is_told_with_its_own_status(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        await socket.close(code=4000, message=b"enough")
    assert await ended(stack, aws, socket) == (4000, "enough")


@pytest.mark.fact("A1.disconnect.1000", "A3.disconnect.every-end", "A4.delete.code")
async def test_a4_delete_closes_with_1000_and_disconnect_runs(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        aws("apigatewaymanagementapi").delete_connection(ConnectionId=connection_id(socket))
        received = await socket.receive(timeout=5)
        assert (received.type, received.data) == (aiohttp.WSMsgType.CLOSE, 1000)
    assert await ended(stack, aws, socket) == (1000, "Connection Closed Normally")


@pytest.mark.fact("A5.close.1006", "A1.disconnect.other-reasons")
async def test_a_socket_that_breaks_is_told_as_1006(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        await stack.cut_async(connection_id(socket), "reset")
        await socket.receive(timeout=5)
    code, _ = await ended(stack, aws, socket)
    assert code == 1006


@pytest.mark.fact("A5.idle", "A5.close.1001", "A3.disconnect.every-end")
async def test_a5_ten_idle_minutes_close_with_1001_and_disconnect_runs(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    async with client(http, f"{stack.websocket_url}?name=ann") as one:
        await stack.advance_async(9 * MINUTE_MS)
        await one.ask(action="say")
        await stack.advance_async(9 * MINUTE_MS)
        assert one.id in open_ids(stack)
        before = stack.now()
        await stack.advance_async(2 * MINUTE_MS)
        received = await one.hear()
        assert (received.type, received.data) == (aiohttp.WSMsgType.CLOSE, 1001)
    event = await disconnect_event(stack, aws, one.socket)
    assert event["requestContext"]["disconnectStatusCode"] == 1001
    assert event["requestContext"]["requestTimeEpoch"] == before + MINUTE_MS


@pytest.mark.fact("A5.life", "A5.close.1001")
async def test_a5_after_two_hours_the_busiest_connection_is_closed(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, f"{stack.websocket_url}?name=ann") as one:
        for _ in range(14):
            await one.ask(action="say")
            await stack.advance_async(8 * MINUTE_MS)
        assert one.id in open_ids(stack)
        await one.ask(action="say")
        await stack.advance_async(8 * MINUTE_MS)
        received = await one.hear()
        assert (received.type, received.data) == (aiohttp.WSMsgType.CLOSE, 1001)


@pytest.mark.fact(
    "A7.post.no-proof-of-life", "A3.disconnect.dead-network", "A1.disconnect.other-reasons"
)
async def test_a7_a_post_to_a_client_that_died_silently_succeeds(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        await stack.cut_async(connection_id(socket))
    aws("apigatewaymanagementapi").post_to_connection(
        ConnectionId=connection_id(socket), Data=b"nobody hears this"
    )
    await stack.settle_async()
    assert "gone" not in item(aws, socket)
    await stack.advance_async(10 * MINUTE_MS)
    assert await ended(stack, aws, socket) == (1001, "Going away")


@pytest.mark.fact("A3.disconnect.not-guaranteed")
async def test_a3_disconnect_is_not_guaranteed_a_dropped_connection_is_never_told(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        await stack.cut_async(connection_id(socket), "gone")
    management = aws("apigatewaymanagementapi")
    with pytest.raises(management.exceptions.GoneException):
        management.post_to_connection(ConnectionId=connection_id(socket), Data=b"x")
    await stack.advance_async(11 * MINUTE_MS)
    assert "gone" not in item(aws, socket)


def connection_id(socket: Socket) -> str:
    return str(socket._response.headers["X-Local-Connection-Id"])


def open_ids(stack: Stack) -> set[str]:
    return {one["id"] for one in stack.connections()}


def item(aws: AwsClient, socket: Socket) -> dict[str, Any]:
    found = aws("dynamodb").get_item(
        TableName="local-People", Key={"id": {"S": connection_id(socket)}}
    )
    return dict(found["Item"])


async def disconnect_event(stack: Stack, aws: AwsClient, socket: Socket) -> dict[str, Any]:
    await stack.settle_async()
    return dict(json.loads(item(aws, socket)["gone"]["S"]))


async def ended(stack: Stack, aws: AwsClient, socket: Socket) -> tuple[int, str]:
    context = (await disconnect_event(stack, aws, socket))["requestContext"]
    return context["disconnectStatusCode"], context["disconnectReason"]
