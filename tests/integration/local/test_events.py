"""Facts A1: the events of one connection from beginning to end, through a real socket."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest

from infra.local.stack import Stack
from tests.integration.local.gates_at import address, client, note

Events = dict[str, dict[str, Any]]
HEADERS = {"Origin": "https://example.org", "User-Agent": "test/1", "x-CusTom": "a"}


async def events_of(
    gates: Stack, http: aiohttp.ClientSession, stage: str, query: str = ""
) -> Events:
    """Return the events of one connection: two messages are sent, with time between them."""
    async with client(http, address(gates, stage) + query, headers=HEADERS, compress=15) as one:
        await gates.advance_async(1500)
        first = (await one.ask(action="oneWay", do="echo"))["event"]
        await gates.advance_async(1500)
        second = (await one.ask(action="any", do="echo"))["event"]
        connection = one.id
        await one.socket.close(code=4001, message=b"enough")
    await gates.settle_async()
    return {
        "connect": note(gates, connection, "connect")["event"],
        "message": first,
        "default": second,
        "disconnect": note(gates, connection, "gone")["event"],
    }


def contexts(events: Events) -> Iterator[dict[str, Any]]:
    return (event["requestContext"] for event in events.values())


@pytest.mark.fact("A1.connect.headers", "A1.connect.header-case", "A1.connect.no-upgrade-headers")
async def test_connect_has_the_clients_headers_and_those_of_the_way(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    headers = (await events_of(gates, http, "desk"))["connect"]["headers"]
    assert headers["Origin"] == "https://example.org"
    assert headers["User-Agent"] == "test/1"
    assert headers["x-CusTom"] == "a"
    assert {"Host", "Sec-WebSocket-Key", "Sec-WebSocket-Version"} <= set(headers)
    assert headers["Sec-WebSocket-Extensions"].startswith("permessage-deflate")
    assert re.fullmatch(r"Root=1-[0-9a-f]{8}-[0-9a-f]{24}", headers["X-Amzn-Trace-Id"])
    assert headers["X-Forwarded-For"] == "127.0.0.1"
    assert headers["X-Forwarded-Port"] == gates.url.rpartition(":")[2]
    assert headers["X-Forwarded-Proto"] == "http"
    assert not {"connection", "upgrade"} & {name.lower() for name in headers}


@pytest.mark.fact("A1.connect.query", "A1.connect.no-query", "A1.message.no-query")
async def test_only_connect_has_the_query_and_only_when_there_was_one(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    with_query = await events_of(gates, http, "desk", "?v=1&v=2&name=J%C3%BCri%20K")
    keys = {"queryStringParameters", "multiValueQueryStringParameters"}
    assert with_query["connect"]["queryStringParameters"] == {"v": "2", "name": "Jüri K"}
    assert with_query["connect"]["multiValueQueryStringParameters"]["v"] == ["1", "2"]
    assert not any(keys & set(with_query[name]) for name in ("message", "default", "disconnect"))
    without = await events_of(gates, http, "desk")
    assert not any(keys & set(event) for event in without.values())


@pytest.mark.fact(
    "A1.context.route-key",
    "A1.context.event-type",
    "A1.context.direction",
    "A1.context.message-id",
    "A1.all.not-base64",
    "A1.all.no-nulls",
    "A1.connect.no-body",
    "A1.disconnect.no-body",
    "A1.message.body",
    "A1.message.no-headers",
)
async def test_each_event_says_what_it_is(gates: Stack, http: aiohttp.ClientSession) -> None:
    events = await events_of(gates, http, "desk")
    kinds = [(context["routeKey"], context["eventType"]) for context in contexts(events)]
    assert kinds == [
        ("$connect", "CONNECT"),
        ("oneWay", "MESSAGE"),
        ("$default", "MESSAGE"),
        ("$disconnect", "DISCONNECT"),
    ]
    assert {context["messageDirection"] for context in contexts(events)} == {"IN"}
    assert ["messageId" in context for context in contexts(events)] == [False, True, True, False]
    ids = [context["messageId"] for context in contexts(events) if "messageId" in context]
    assert len(set(ids)) == 2
    assert all(len(one) == 16 for one in ids)
    assert all(event["isBase64Encoded"] is False for event in events.values())
    assert ["body" in event for event in events.values()] == [False, True, True, False]
    assert ["headers" in event for event in events.values()] == [True, False, False, True]
    for event in events.values():
        assert None not in [*event.values(), *event["requestContext"].values()]


@pytest.mark.fact(
    "A1.context.request-ids",
    "A1.context.place",
    "A1.context.connection-id",
    "A1.context.domain-name",
    "A1.context.identity",
)
async def test_ids_are_the_same_where_they_are_and_differ_where_they_do(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    events = await events_of(gates, http, "desk")
    for name in ("connectionId", "apiId", "stage", "domainName"):
        assert len({context[name] for context in contexts(events)}) == 1, name
    context = events["message"]["requestContext"]
    assert re.fullmatch(r"[A-Za-z0-9_-]{15}=", context["connectionId"])
    assert context["stage"] == "desk"
    assert context["domainName"] == f"localhost:{gates.url.rpartition(':')[2]}"
    assert all(context["requestId"] == context["extendedRequestId"] for context in contexts(events))
    assert len({context["requestId"] for context in contexts(events)}) == 4
    identities = [context["identity"] for context in contexts(events)]
    assert identities == [{"sourceIp": "127.0.0.1", "userAgent": "test/1"}] * 4


@pytest.mark.fact(
    "A1.context.request-time", "A1.context.connected-at", "A1.context.connected-at-gap"
)
async def test_stamps_are_of_the_instant_of_each_event(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    before = gates.now()
    events = await events_of(gates, http, "desk")
    instants = [context["requestTimeEpoch"] for context in contexts(events)]
    assert instants == [before, before + 1500, before + 3000, before + 3000]
    for context in contexts(events):
        read = datetime.strptime(context["requestTime"], "%d/%b/%Y:%H:%M:%S %z")
        instant = datetime.fromtimestamp(context["requestTimeEpoch"] // 1000, UTC)
        assert (read, read.utcoffset()) == (instant, instant.utcoffset())
    assert {context["connectedAt"] for context in contexts(events)} == {before}


@pytest.mark.fact("A1.all.stage-variables")
async def test_stage_variables_are_on_every_event_of_a_stage_that_has_any(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    for event in (await events_of(gates, http, "desk")).values():
        assert event["stageVariables"] == {"colour": "blue"}
    async with client(http, address(gates, "default")) as one:
        assert "stageVariables" not in (await one.ask(action="oneWay", do="echo"))["event"]


@pytest.mark.fact("A1.context.disconnect", "A1.disconnect.client-code", "A1.disconnect.headers")
async def test_only_the_last_event_says_how_it_ended(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    events = await events_of(gates, http, "desk")
    last = events["disconnect"]["requestContext"]
    assert (last["disconnectStatusCode"], last["disconnectReason"]) == (4001, "enough")
    for name in ("connect", "message", "default"):
        assert not {"disconnectStatusCode", "disconnectReason"} & set(
            events[name]["requestContext"]
        )
    headers = events["disconnect"]["headers"]
    assert headers == {
        "Host": last["domainName"],
        "x-api-key": "",
        "X-Forwarded-For": "",
        "x-restapi": "",
    }
