"""Facts A3: what the client's upgrade gets, and what the functions of `$connect` are given."""

import json
from typing import Any

import aiohttp
import pytest
from _pytest.mark.structures import ParameterSet

from infra.local.stack import Stack
from tests.integration.local.conftest import AwsClient

Item = dict[str, Any]


def shown(fact: str, query: str, status: int) -> ParameterSet:
    return pytest.param(query, status, marks=pytest.mark.fact(fact))


@pytest.mark.parametrize(
    ("query", "status"),
    [
        shown("A3.status.identity-missing", "", 401),
        shown("A3.status.unauthorized", "?name=nobody", 401),
        shown("A3.status.denied", "?name=banned", 403),
        shown("A3.status.other-resource", "?name=elsewhere", 403),  # allowed for .../*/*
        shown("A3.status.authorizer-fails", "?name=broken", 500),
        shown("A3.status.authorizer-output", "?name=nonsense", 500),
        shown("A3.status.crash", "?name=ann&answer=crash", 502),
        shown("A3.status.malformed", "?name=ann&answer=malformed", 502),
        shown("A3.status.own", "?name=ann&answer=400", 400),
        shown("A3.status.own", "?name=ann&answer=500", 500),
        shown("A3.exists-after-return", "?name=ann&answer=post", 410),
    ],
)
async def test_a3_a_refused_handshake_has_the_status_that_aws_gives(
    stack: Stack, http: aiohttp.ClientSession, query: str, status: int
) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await http.ws_connect(stack.websocket_url + query)
    assert refused.value.status == status


@pytest.mark.fact("A3.sub-protocol")
async def test_a3_the_sub_protocol_that_connect_returns_is_answered(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann", protocols=["b", "a"]) as socket:
        assert socket.protocol == "b"


@pytest.mark.fact("A3.sub-protocol.none")
async def test_a3_without_a_sub_protocol_from_connect_none_is_answered(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    url = f"{stack.websocket_url}?name=ann&answer=200"
    async with http.ws_connect(url, protocols=["chat.v1"]) as socket:
        assert socket.protocol is None


@pytest.mark.fact(
    "A3.authorizer.event",
    "A3.authorizer.upgrade-headers",
    "A1.connect.no-upgrade-headers",
    "A1.connect.query",
)
async def test_a3_the_authorizer_sees_upgrade_headers_and_connect_does_not(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann&tag=a&tag=b") as socket:
        connect = await connect_event(socket, aws)
    context = connect["requestContext"]["authorizer"]
    authorize = json.loads(context["event"])
    assert authorize["type"] == "REQUEST"
    assert authorize["methodArn"].endswith("/live/$connect")
    assert {"Connection", "Upgrade", "content-length"} <= set(authorize["headers"])
    assert not {"Connection", "Upgrade"} & set(connect["headers"])
    assert authorize["requestContext"]["connectionId"] == connect["requestContext"]["connectionId"]
    assert connect["queryStringParameters"] == {"name": "ann", "tag": "b"}
    assert connect["multiValueQueryStringParameters"] == {"name": ["ann"], "tag": ["a", "b"]}


@pytest.mark.fact("A3.authorizer.text-context", "A1.context.authorizer")
async def test_a3_context_values_are_text(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        connect = await connect_event(socket, aws)
    context = connect["requestContext"]["authorizer"]
    assert (context["principalId"], context["age"], context["isGuest"]) == ("p-ann", "7", "true")
    assert isinstance(context["integrationLatency"], int)


@pytest.mark.fact("A5.url")
async def test_a5_an_address_longer_than_4096_characters_is_refused(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await http.ws_connect(f"{stack.websocket_url}?name={'n' * 4096}")
    assert refused.value.status == 414


@pytest.mark.fact("A3.plain-request")
async def test_an_ordinary_request_for_the_stage_is_no_websocket(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.get(stack.management_endpoint) as answer:
        assert answer.status == 426


async def connect_event(socket: aiohttp.ClientWebSocketResponse, aws: AwsClient) -> Item:
    connection_id = socket._response.headers["X-Local-Connection-Id"]
    table = aws("dynamodb").get_item(TableName="local-People", Key={"id": {"S": connection_id}})
    event: Item = json.loads(table["Item"]["connect"]["S"])
    return event
