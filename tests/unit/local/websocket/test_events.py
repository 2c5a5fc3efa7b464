"""Facts A1 and A3: every key of every event present or absent as AWS has it."""

from pathlib import Path
from typing import Any

import pytest

from infra.local.lambdas.functions import Function
from infra.local.websocket.events import (
    ConnectionFacts,
    Handshake,
    Stamp,
    authorizer_event,
    connect_event,
    disconnect_event,
    message_event,
)
from infra.local.websocket.routes import Api, Route

FUNCTION = Function("F", "f", "arn:aws:lambda:r:0:function:f", "app.f", Path(), 3, 128, {})
COMMON = {
    "routeKey",
    "eventType",
    "extendedRequestId",
    "requestTime",
    "messageDirection",
    "stage",
    "connectedAt",
    "requestTimeEpoch",
    "identity",
    "requestId",
    "domainName",
    "connectionId",
    "apiId",
}
STAMP = Stamp("BFaTvEl9oAMFX6A=", 1731324956562)
HANDSHAKE = Handshake(
    headers=[
        ("Host", "localhost:8080"),
        ("Connection", "Upgrade"),
        ("upgrade", "websocket"),
        ("Sec-WebSocket-Key", "+W5xw47OHh3OTFsWKjGu9Q=="),
        ("cookie", "a=1"),
        ("X-Twice", "one"),
        ("X-Twice", "two"),
    ],
    query=[],
    source_ip="166.90.225.1",
    port=8080,
    trace_id="Root=1-6731ebfc-08e1e656421db73c5d2eef31",
)


def api(**variables: str) -> Api:
    return Api("fjnq7njcv2", "prod", "$request.body.action", routes(), variables)


def routes() -> dict[str, Route]:
    return {"$connect": Route("$connect", FUNCTION)}


def facts(**changes: Any) -> ConnectionFacts:  # noqa: ANN401 - any of its fields
    known: dict[str, Any] = {
        "connection_id": "BFaTvf9hIAMCKug=",
        "api": api(),
        "domain": "localhost:8080",
        "connected_at": 1731324956561,
        "source_ip": "166.90.225.1",
        "user_agent": None,
    }
    return ConnectionFacts(**(known | changes))


@pytest.mark.fact(
    "A1.connect.no-query",
    "A1.connect.no-body",
    "A1.all.not-base64",
    "A1.all.no-nulls",
    "A1.context.request-time",
    "A1.context.direction",
)
def test_a1_connect_has_these_keys_and_no_others() -> None:
    event = connect_event(facts(), HANDSHAKE, STAMP)
    assert set(event) == {"headers", "multiValueHeaders", "requestContext", "isBase64Encoded"}
    assert event["isBase64Encoded"] is False
    context = event["requestContext"]
    assert set(context) == COMMON
    assert (context["routeKey"], context["eventType"]) == ("$connect", "CONNECT")
    assert context["requestTime"] == "11/Nov/2024:11:35:56 +0000"
    assert context["requestTimeEpoch"] == 1731324956562
    assert context["connectedAt"] == 1731324956561
    assert context["requestId"] == context["extendedRequestId"] == "BFaTvEl9oAMFX6A="
    assert context["messageDirection"] == "IN"


@pytest.mark.fact(
    "A1.connect.header-case", "A1.connect.no-upgrade-headers", "A1.connect.repeated-header"
)
def test_a1_connect_keeps_the_letter_case_of_headers_and_drops_those_of_the_upgrade() -> None:
    event = connect_event(facts(), HANDSHAKE, STAMP)
    assert event["headers"] == {
        "cookie": "a=1",
        "Host": "localhost:8080",
        "Sec-WebSocket-Key": "+W5xw47OHh3OTFsWKjGu9Q==",
        "X-Amzn-Trace-Id": "Root=1-6731ebfc-08e1e656421db73c5d2eef31",
        "X-Forwarded-For": "166.90.225.1",
        "X-Forwarded-Port": "8080",
        "X-Forwarded-Proto": "http",
        "X-Twice": "two",
    }
    assert event["multiValueHeaders"]["X-Twice"] == ["one", "two"]


@pytest.mark.fact("A1.connect.query")
def test_a1_query_and_stage_variables_are_there_only_when_there_are_any() -> None:
    handshake = Handshake(
        headers=[], query=[("v", "1"), ("v", "2")], source_ip="::1", port=1, trace_id="t"
    )
    event = connect_event(facts(api=api(colour="blue")), handshake, STAMP)
    assert event["queryStringParameters"] == {"v": "2"}
    assert event["multiValueQueryStringParameters"] == {"v": ["1", "2"]}
    assert event["stageVariables"] == {"colour": "blue"}


@pytest.mark.fact("A1.context.identity")
def test_a1_user_agent_is_there_only_when_the_client_sent_one() -> None:
    silent = connect_event(facts(), HANDSHAKE, STAMP)["requestContext"]["identity"]
    named = connect_event(facts(user_agent="ua/1"), HANDSHAKE, STAMP)["requestContext"]["identity"]
    assert silent == {"sourceIp": "166.90.225.1"}
    assert named == {"sourceIp": "166.90.225.1", "userAgent": "ua/1"}


@pytest.mark.fact(
    "A1.message.no-headers", "A1.message.no-query", "A1.all.not-base64", "A1.all.no-nulls"
)
def test_a1_message_has_these_keys_and_no_others() -> None:
    event = message_event(facts(), STAMP, "$default", ("BFaVtfGSIAMCKug=", "{}"))
    assert set(event) == {"requestContext", "body", "isBase64Encoded"}
    assert event["body"] == "{}"
    context = event["requestContext"]
    assert set(context) == COMMON | {"messageId"}
    assert (context["routeKey"], context["eventType"]) == ("$default", "MESSAGE")
    assert context["messageId"] == "BFaVtfGSIAMCKug="


@pytest.mark.fact(
    "A1.disconnect.headers",
    "A1.disconnect.no-query",
    "A1.disconnect.no-body",
    "A1.all.not-base64",
    "A1.all.no-nulls",
    "A1.context.disconnect",
)
def test_a1_disconnect_has_these_keys_and_no_others() -> None:
    event = disconnect_event(facts(), STAMP, 1005, "Client-side close frame status not set")
    assert set(event) == {"headers", "multiValueHeaders", "requestContext", "isBase64Encoded"}
    assert event["headers"] == {
        "Host": "localhost:8080",
        "x-api-key": "",
        "X-Forwarded-For": "",
        "x-restapi": "",
    }
    context = event["requestContext"]
    assert set(context) == COMMON | {"disconnectStatusCode", "disconnectReason"}
    assert context["disconnectStatusCode"] == 1005
    assert context["disconnectReason"] == "Client-side close frame status not set"


@pytest.mark.fact("A1.context.authorizer")
def test_a1_what_the_authorizer_said_is_on_every_event() -> None:
    known = facts(authorizer={"principalId": "p", "integrationLatency": 3, "lang": "nl"})
    for event in (
        connect_event(known, HANDSHAKE, STAMP),
        message_event(known, STAMP, "move", ("m", "{}")),
        disconnect_event(known, STAMP, 1000, ""),
    ):
        assert event["requestContext"]["authorizer"] == {
            "principalId": "p",
            "integrationLatency": 3,
            "lang": "nl",
        }


@pytest.mark.fact("A3.authorizer.event", "A3.authorizer.upgrade-headers")
def test_a3_the_authorizers_event_has_the_headers_of_the_upgrade() -> None:
    arn = "arn:aws:execute-api:us-east-1:000000000000:fjnq7njcv2/prod/$connect"
    event = authorizer_event(facts(), HANDSHAKE, STAMP, arn)
    assert set(event) == {
        "type",
        "methodArn",
        "headers",
        "multiValueHeaders",
        "queryStringParameters",
        "multiValueQueryStringParameters",
        "stageVariables",
        "requestContext",
    }
    assert (event["type"], event["methodArn"]) == ("REQUEST", arn)
    assert event["headers"]["Connection"] == "upgrade"
    assert event["headers"]["Upgrade"] == "websocket"
    assert event["headers"]["content-length"] == "0"
    assert event["requestContext"]["connectionId"] == "BFaTvf9hIAMCKug="
