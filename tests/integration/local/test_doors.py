"""Facts A3: API keys, required parameters, and what happens around `$connect` and `$disconnect`."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest
from _pytest.mark.structures import ParameterSet

from infra.local.stack import Stack
from tests.integration.local.gates_at import (
    IN_CLUB,
    KEY,
    address,
    client,
    management,
    note,
    refused,
)


@pytest.mark.fact("A3.no-connect-route", "SAM.stage.default")
async def test_without_a_connect_route_everybody_is_connected(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    before = gates.metrics()["invocations"]
    async with client(http, address(gates, "default")) as one:
        assert one.socket._response.status == 101
        assert (await one.ask(action="oneWay", do="echo"))["event"]["body"]
    await gates.settle_async()
    assert set(gates.metrics()["invocations"]) - set(before) <= {"Answer"}


@pytest.mark.fact("A3.status.2xx", "A3.api-key.header", "A3.parameters")
async def test_with_key_and_parameters_a_member_comes_in(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    url = f"{address(gates, 'club')}?room=1"
    async with client(http, url, headers=IN_CLUB) as one:
        assert one.socket._response.status == 101
        await gates.settle_async()
        came = note(gates, one.id, "connect")["event"]
    assert came["requestContext"]["authorizer"]["principalId"] == "member"
    assert came["headers"]["x-api-key"] == KEY


def shown(fact: str, headers: dict[str, str], query: str, told: tuple[int, str]) -> ParameterSet:
    return pytest.param(headers, query, told, marks=pytest.mark.fact(fact))


FORBIDDEN = (403, "Forbidden")
BAD = "Missing required request parameters: "


@pytest.mark.fact("A3.refusal.body", "A3.refusal.error-type")
@pytest.mark.parametrize(
    ("headers", "query", "told"),
    [
        shown("A3.api-key.status", {"x-api-key": ""}, "?room=1", FORBIDDEN),
        shown("A3.api-key.status", {"x-api-key": "wrong"}, "?room=1", FORBIDDEN),
        shown(
            "A3.api-key.plan", {"x-api-key": "closed-sesame-closed-sesame"}, "?room=1", FORBIDDEN
        ),
        shown("A3.api-key.plan", {"x-api-key": "stray-sesame-stray-sesame"}, "?room=1", FORBIDDEN),
        shown("A3.parameters", {}, "", (400, f"{BAD}[room]")),
        shown("A3.parameters", {}, "?room=", (400, f"{BAD}[room]")),
        shown("A3.parameters", {"X-Client": ""}, "", (400, f"{BAD}[room, X-Client]")),
        shown("A3.order-of-checks", {"x-api-key": "wrong"}, "", FORBIDDEN),
    ],
)
async def test_who_lacks_something_is_refused_before_connect_runs(
    gates: Stack,
    http: aiohttp.ClientSession,
    headers: dict[str, str],
    query: str,
    told: tuple[int, str],
) -> None:
    before = gates.metrics()["invocations"]
    answer = await refused(http, address(gates, "club") + query, IN_CLUB | headers)
    body = json.loads(await answer.text())
    assert (answer.status, body["message"]) == told
    assert set(body) == {"message", "connectionId", "requestId"}
    kinds = {400: "BadRequestException", 403: "ForbiddenException"}
    assert answer.headers["x-amzn-ErrorType"] == kinds[answer.status]
    after = gates.metrics()["invocations"]
    assert after["Doorman"] == before.get("Doorman", 0) + 1  # the authorizer comes first
    assert after.get("Coming") == before.get("Coming")


@pytest.mark.fact("A3.api-key.status")
async def test_no_key_at_all_is_refused(gates: Stack, http: aiohttp.ClientSession) -> None:
    answer = await refused(http, f"{address(gates, 'club')}?room=1", {"X-Client": "test"})
    assert answer.status == 403


@pytest.mark.fact("A3.authorizer.once", "A3.authorizer.no-cache")
async def test_the_authorizer_runs_once_for_a_connection_and_again_for_the_next(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    before = gates.metrics()["invocations"].get("Doorman", 0)
    for n in (1, 2):
        url = f"{address(gates, 'club')}?room=1"
        async with client(http, url, headers=IN_CLUB) as one:
            for _ in range(3):
                await one.ask(action="oneWay", do="echo")
        await gates.settle_async()
        assert gates.metrics()["invocations"]["Doorman"] == before + n


@pytest.mark.fact("A3.exists-after-return", "A3.exists-after-return.get")
async def test_inside_connect_the_connection_does_not_exist_yet(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, f"{address(gates, 'desk')}?do=try") as one:
        tried = note(gates, one.id, "connect")["tried"]
        assert tried == {"post": 410, "get": 410, "delete": 410}
        assert (await one.ask(action="oneWay", do="echo"))["event"]


@pytest.mark.fact("A3.disconnect.after-close", "A3.disconnect.every-end")
@pytest.mark.parametrize("who", ["client", "delete", "cut"])
async def test_disconnect_runs_after_the_close_whoever_closed(
    gates: Stack, http: aiohttp.ClientSession, who: str
) -> None:
    async with client(http, address(gates, "desk")) as one:
        connection = one.id
        if who == "delete":
            management(gates, "desk").delete_connection(ConnectionId=connection)
            await one.hear()
        elif who == "cut":
            await gates.cut_async(connection, "reset")
    await gates.settle_async()
    assert note(gates, connection, "gone")["tried"] == {"post": 410, "get": 410, "delete": 410}


@pytest.mark.fact("A3.status.integration-timeout")
async def test_a_connect_that_takes_longer_than_api_gateway_waits_is_504(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    answer = await refused(http, f"{address(gates, 'desk')}?do=sleep")
    body = json.loads(await answer.text())
    assert (answer.status, body["message"]) == (504, "Endpoint request timed out")


@pytest.mark.fact("A3.client-left")
async def test_a_client_that_leaves_while_connect_runs_was_connected(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    before = gates.metrics()
    asking = asyncio.create_task(http.ws_connect(f"{address(gates, 'desk')}?do=nap"))
    while calls(await asyncio.to_thread(gates.metrics)) == calls(before):
        pass
    asking.cancel()
    await gates.settle_async()
    assert gates.metrics()["disconnects"] == before["disconnects"] + 1


def calls(metrics: dict[str, Any]) -> int:
    return int(metrics["invocations"].get("Coming", 0))
