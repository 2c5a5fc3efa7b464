"""Facts H.event and H.authorizer.event: every key present or absent as on AWS."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infra.local.apigateway.forwarding import Peer
from infra.local.cloudformation.intrinsics import Place
from infra.local.httpapi.events import Arrival, authorizer_event, proxy_event, route_arn
from infra.local.httpapi.requests import Request
from infra.local.httpapi.routes import HttpApi, Match, Route, Stage
from infra.local.lambdas.functions import Function

FUNCTION = Function("F", "f", "arn:aws:lambda:r:0:function:f", "app.f", Path(), 3, 128, {})
API = HttpApi("sjzepsqsu5", (), ())
CAPTURED = Request(
    method="POST",
    path="/capture/space value",
    query="repeat=one&repeat=two&redirect=https%3A%2F%2Fexample.com%2Fa%2Fb"
    "&literalPlus=a+b&encodedPlus=a%2Bb&empty=",
    protocol="HTTP/1.1",
    fields=[
        ("Host", "sjzepsqsu5.execute-api.us-west-2.amazonaws.com"),
        ("User-Agent", "curl/8.7.1"),
        ("Accept", "*/*"),
        ("X-Voker-Probe", "first"),
        ("x-voker-probe", "second"),
        ("Cookie", "session=abc123; theme=dark"),
        ("Content-Type", "application/json"),
        ("Content-Length", "25"),
        ("Connection", "keep-alive"),
    ],
    peer=Peer("68.8.83.18", 443, "https", "Root=1-6a5145a9-1bae89e2512ec92d5d9438a0"),
    request_id="ATfSmjLgPHcESJw=",
    at=1783711145766,
    body='{"unicode":"lambda-λ"}   '.encode()[:25],
)
BARE = replace(CAPTURED, method="GET", path="/", query="", fields=[("Host", "x")], body=b"")


def arrival(request: Request, stage: Stage | None = None, **variables: str) -> Arrival:
    match = Match(Route("$default", FUNCTION), variables)
    host = "sjzepsqsu5.execute-api.us-west-2.amazonaws.com"
    return Arrival(request, API, stage or Stage("$default"), match, Place(), host)


def event(request: Request, stage: Stage | None = None, **variables: str) -> dict[str, Any]:
    return proxy_event(arrival(request, stage, **variables), {})


@pytest.mark.fact(
    "H.event.cookies",
    "H.event.header-names",
    "H.event.header-duplicates",
    "H.event.raw-query",
    "H.event.query",
    "H.event.stamps",
    "H.event.http",
    "H.event.forwarded",
)
def test_an_event_is_the_one_that_was_captured_on_aws() -> None:
    assert event(CAPTURED) == {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": "/capture/space value",
        "rawQueryString": "repeat=one&repeat=two&redirect=https%3A%2F%2Fexample.com%2Fa%2Fb"
        "&literalPlus=a+b&encodedPlus=a%2Bb&empty=",
        "cookies": ["session=abc123", "theme=dark"],
        "headers": {
            "accept": "*/*",
            "content-length": "25",
            "content-type": "application/json",
            "host": "sjzepsqsu5.execute-api.us-west-2.amazonaws.com",
            "user-agent": "curl/8.7.1",
            "x-amzn-trace-id": "Root=1-6a5145a9-1bae89e2512ec92d5d9438a0",
            "x-forwarded-for": "68.8.83.18",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
            "x-voker-probe": "first,second",
        },
        "queryStringParameters": {
            "empty": "",
            "encodedPlus": "a+b",
            "literalPlus": "a b",
            "redirect": "https://example.com/a/b",
            "repeat": "one,two",
        },
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "sjzepsqsu5",
            "domainName": "sjzepsqsu5.execute-api.us-west-2.amazonaws.com",
            "domainPrefix": "sjzepsqsu5",
            "http": {
                "method": "POST",
                "path": "/capture/space value",
                "protocol": "HTTP/1.1",
                "sourceIp": "68.8.83.18",
                "userAgent": "curl/8.7.1",
            },
            "requestId": "ATfSmjLgPHcESJw=",
            "routeKey": "$default",
            "stage": "$default",
            "time": "10/Jul/2026:19:19:05 +0000",
            "timeEpoch": 1783711145766,
        },
        "body": '{"unicode":"lambda-λ"}  ',
        "isBase64Encoded": False,
    }


@pytest.mark.fact(
    "H.event.keys",
    "H.event.context",
    "H.event.content-length",
    "H.event.no-user-agent",
    "H.stage.variables",
    "H.path.variables",
)
def test_what_a_request_does_not_have_is_absent() -> None:
    bare = event(BARE)
    assert set(bare) == {
        "version",
        "routeKey",
        "rawPath",
        "rawQueryString",
        "headers",
        "requestContext",
        "isBase64Encoded",
    }
    assert set(bare["requestContext"]) == {
        "accountId",
        "apiId",
        "domainName",
        "domainPrefix",
        "http",
        "requestId",
        "routeKey",
        "stage",
        "time",
        "timeEpoch",
    }
    assert bare["rawQueryString"] == ""
    assert bare["headers"]["content-length"] == "0"
    assert bare["requestContext"]["http"]["userAgent"] == ""
    assert bare["isBase64Encoded"] is False


@pytest.mark.fact("H.stage.variables", "H.path.variables")
def test_stage_and_path_variables_are_there_when_there_are_some() -> None:
    told = event(BARE, Stage("v1", {"COLOUR": "green"}), id="7")
    assert told["stageVariables"] == {"COLOUR": "green"}
    assert told["pathParameters"] == {"id": "7"}
    assert told["requestContext"]["stage"] == "v1"


def with_type(content_type: str | None, body: bytes) -> dict[str, Any]:
    fields = [] if content_type is None else [("Content-Type", content_type)]
    return event(replace(BARE, method="POST", fields=fields, body=body))


@pytest.mark.fact("H.event.text-body")
@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "text/csv; charset=utf-8",
        "application/json",
        "Application/JSON; charset=UTF-8",
        "application/javascript",
        "application/xml",
    ],
)
def test_the_body_of_a_text_type_is_text(content_type: str) -> None:
    told = with_type(content_type, "é☕".encode())
    assert (told["body"], told["isBase64Encoded"]) == ("é☕", False)


@pytest.mark.fact("H.event.binary-body")
@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "application/octet-stream",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "image/png",
        "application/problem+json",
    ],
)
def test_every_other_body_is_base64(content_type: str | None) -> None:
    told = with_type(content_type, b"\x00\xffa")
    assert (told["body"], told["isBase64Encoded"]) == ("AP9h", True)


@pytest.mark.fact("H.event.broken-text")
def test_a_text_that_is_no_utf_8_is_patched() -> None:
    assert with_type("text/plain", b"a\xffb")["body"] == "a\ufffdb"


@pytest.mark.fact("H.event.forwarded")
def test_the_gateways_own_headers_replace_a_clients_but_the_way_is_added_to() -> None:
    fields = [
        ("X-Forwarded-For", "10.0.0.1"),
        ("X-Forwarded-Proto", "gopher"),
        ("X-Amzn-Trace-Id", "Root=mine"),
        ("Upgrade", "h2c"),
    ]
    headers = event(replace(BARE, fields=fields))["headers"]
    assert headers == {
        "content-length": "0",
        "x-amzn-trace-id": "Root=1-6a5145a9-1bae89e2512ec92d5d9438a0",
        "x-forwarded-for": "10.0.0.1, 68.8.83.18",
        "x-forwarded-port": "443",
        "x-forwarded-proto": "https",
    }


@pytest.mark.fact("H.event.cookies")
@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        (["a=1"], ["a=1"]),
        (["a=1; b=2;c=3"], ["a=1", "b=2", "c=3"]),
        (["a=1", "b=2"], ["a=1", "b=2"]),
        (["a=x=y; flag"], ["a=x=y", "flag"]),
    ],
)
def test_cookies_are_told_one_by_one_and_not_as_a_header(sent: list[str], seen: list[str]) -> None:
    told = event(replace(BARE, fields=[("Cookie", one) for one in sent]))
    assert told["cookies"] == seen
    assert "cookie" not in told["headers"]


def test_an_authorizers_word_is_part_of_the_context() -> None:
    told = proxy_event(arrival(BARE), {"lambda": {"a": 1}})
    assert told["requestContext"]["authorizer"] == {"lambda": {"a": 1}}


@pytest.mark.fact("H.authorizer.event", "H.authorizer.no-body")
def test_an_authorizer_sees_the_request_without_its_body() -> None:
    stage = Stage("v1", {"COLOUR": "green"})
    told = authorizer_event(arrival(CAPTURED, stage, id="7"), ["ann"])
    proxied = event(CAPTURED, stage, id="7")
    del proxied["body"], proxied["isBase64Encoded"]
    assert told == {
        **proxied,
        "type": "REQUEST",
        "routeArn": route_arn(arrival(CAPTURED, stage)),
        "identitySource": ["ann"],
    }
    assert "authorizer" not in told["requestContext"]


@pytest.mark.fact("H.authorizer.event")
def test_what_an_authorizer_is_not_told_is_absent_too() -> None:
    assert set(authorizer_event(arrival(BARE), None)) == {
        "version",
        "type",
        "routeArn",
        "identitySource",
        "routeKey",
        "rawPath",
        "rawQueryString",
        "headers",
        "requestContext",
    }


@pytest.mark.fact("H.authorizer.route-arn")
@pytest.mark.parametrize(
    ("path", "end"), [("/test/request", "GET/request"), ("/test", "GET/"), ("/test/", "GET/")]
)
def test_the_arn_names_api_stage_method_and_path(path: str, end: str) -> None:
    asked = arrival(replace(BARE, path=path), Stage("test"))
    start = "arn:aws:execute-api:us-east-1:000000000000:sjzepsqsu5/test"
    assert route_arn(asked) == f"{start}/{end}"
