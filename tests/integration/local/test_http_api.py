"""Which requests HTTP APIs take, and what functions see of them: `http/http.yaml`, real sockets."""

import asyncio
import json
from typing import Any

import pytest
from yarl import URL

from infra.local.stack import Stack
from tests.integration.local.http.at import Http, echoed, told


@pytest.fixture(scope="module")
def stack(pages: Stack) -> Stack:
    return pages


@pytest.mark.fact("H.event.request-id", "H.event.keys")
async def test_a_request_reaches_its_function(http: Http, stack: Stack) -> None:
    async with http.get(f"{stack.url}/echo/a%20b/c/d?x=1") as answer:
        seen = await answer.json(content_type=None)
    event = seen["event"]
    assert event["routeKey"] == "ANY /echo/{one}/{rest+}"
    assert event["pathParameters"] == {"one": "a b", "rest": "c/d"}
    assert event["requestContext"]["timeEpoch"] == stack.now() == seen["time"]
    assert len(answer.headers["Apigw-Requestid"]) == 16
    assert answer.headers["Apigw-Requestid"] == event["requestContext"]["requestId"]


@pytest.mark.parametrize(
    ("path", "text"),
    [("/", "the file index.html"), ("/page.html", "the file page.html")],
)
async def test_what_no_route_takes_is_a_file(
    http: Http, stack: Stack, path: str, text: str
) -> None:
    async with http.get(f"{stack.url}{path}") as answer:
        assert await answer.text() == text


@pytest.mark.fact("H.route.not-found", "H.stage.named-first")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/nothing"),
        ("POST", "/page.html"),
        ("POST", "/"),
        ("GET", "/return"),
        ("GET", "/v1/nothing"),
        ("GET", "/v1/page.html"),
        ("GET", "/v1"),
    ],
)
async def test_what_neither_a_route_nor_a_file_takes_is_not_found(
    http: Http, stack: Stack, method: str, path: str
) -> None:
    async with http.request(method, f"{stack.url}{path}") as answer:
        assert await told(answer) == (404, {"message": "Not Found"})
        assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.fact("H.stage.named-first", "H.stage.raw-path", "H.stage.variables")
async def test_a_stage_with_a_name_is_served_under_it(http: Http, stack: Stack) -> None:
    event = await echoed(http, f"{stack.url}/v1/open")
    assert event["requestContext"]["stage"] == "v1"
    assert event["rawPath"] == event["requestContext"]["http"]["path"] == "/v1/open"
    assert event["routeKey"] == "GET /open"
    assert event["stageVariables"] == {"COLOUR": "green"}


@pytest.mark.fact("H.route.default-last")
@pytest.mark.parametrize(
    ("path", "stage"), [("/raw", "raw"), ("/raw/a/b", "raw"), ("/live/x", "live")]
)
async def test_a_default_route_takes_everything_under_its_stage(
    http: Http, stack: Stack, path: str, stage: str
) -> None:
    event = await echoed(http, f"{stack.url}{path}", "PATCH")
    assert (event["routeKey"], event["rawPath"]) == ("$default", path)
    assert event["requestContext"]["stage"] == stage


async def test_the_websocket_keeps_its_path(http: Http, stack: Stack) -> None:
    async with http.get(f"{stack.url}/live") as answer:
        assert answer.status == 426
    async with http.get(f"{stack.url}/live/@connections/x") as answer:
        assert answer.status == 403


@pytest.mark.parametrize("path", ["/_local/health", "/_local/config", "/config.json"])
async def test_the_control_api_is_not_hidden(http: Http, stack: Stack, path: str) -> None:
    async with http.get(f"{stack.url}{path}") as answer:
        assert answer.status == 200
        assert "event" not in await answer.json()


# -- what functions see ------------------------------------------------------------------------


@pytest.mark.fact(
    "H.path.decoded", "H.path.decoded-twice", "H.path.question-mark", "H.route.encoded-slash"
)
@pytest.mark.parametrize(
    ("sent", "path", "variables"),
    [
        ("/echo/space%20value", "/echo/space value", {"one": "space value"}),
        ("/echo/%CE%BB-%E4%B8%96", "/echo/λ-世", {"one": "λ-世"}),
        ("/echo/a%2Fb", "/echo/a/b", {"one": "a", "rest": "b"}),
        ("/echo/a%252Fb", "/echo/a/b", {"one": "a", "rest": "b"}),
        ("/echo/a%3Fb", "/echo/a", {"one": "a"}),
        ("/echo/a%23b", "/echo/a#b", {"one": "a#b"}),
        ("/echo/a%2525b", "/echo/a%b", {"one": "a%b"}),
        ("/echo/a+b", "/echo/a+b", {"one": "a+b"}),
        ("/echo/a/b//c/", "/echo/a/b//c/", {"one": "a", "rest": "b//c/"}),
    ],
)
async def test_paths_arrive_decoded(
    http: Http, stack: Stack, sent: str, path: str, variables: dict[str, str]
) -> None:
    event = await echoed(http, URL(f"{stack.url}{sent}", encoded=True))
    assert event["rawPath"] == event["requestContext"]["http"]["path"] == path
    assert event["pathParameters"] == variables


@pytest.mark.fact("H.path.broken-escape", "H.path.broken-escape-body")
async def test_a_path_that_cannot_be_decoded_is_a_bad_request(http: Http, stack: Stack) -> None:
    async with http.get(URL(f"{stack.url}/echo/percent%25done", encoded=True)) as answer:
        assert await told(answer) == (400, {"message": "Bad Request"})


@pytest.mark.fact("H.event.raw-query", "H.event.query")
async def test_a_query_arrives_as_it_was_sent_and_decoded(http: Http, stack: Stack) -> None:
    query = (
        "repeat=one&repeat=two&to=https%3A%2F%2Fa.example%2F&plus=a+b&empty=&flag&%C3%A9=%E2%98%95"
    )
    event = await echoed(http, URL(f"{stack.url}/echo?{query}", encoded=True))
    assert event["rawQueryString"] == query
    assert event["queryStringParameters"] == {
        "repeat": "one,two",
        "to": "https://a.example/",
        "plus": "a b",
        "empty": "",
        "flag": "",
        "é": "☕",
    }


@pytest.mark.fact("H.event.cookies", "H.event.header-duplicates", "H.event.header-names")
async def test_headers_and_cookies_arrive(http: Http, stack: Stack) -> None:
    headers = [("X-Probe", "first"), ("X-Probe", "second"), ("Cookie", "a=1; b=2")]
    event = await echoed(http, f"{stack.url}/echo", headers=headers)
    assert event["headers"]["x-probe"] == "first,second"
    assert event["cookies"] == ["a=1", "b=2"]
    assert "cookie" not in event["headers"]
    assert set(event["headers"]) == {name.lower() for name in event["headers"]}


@pytest.mark.fact("H.event.text-body", "H.event.binary-body", "H.event.content-length")
async def test_bodies_arrive_as_text_or_base64(http: Http, stack: Stack) -> None:
    url = f"{stack.url}/echo"
    text = await echoed(http, url, "POST", json={"é": "☕"})
    assert json.loads(text["body"]) == {"é": "☕"}
    assert text["isBase64Encoded"] is False
    form = await echoed(http, url, "POST", data={"a": "b"})
    assert (form["body"], form["isBase64Encoded"]) == ("YT1i", True)
    none = await echoed(http, url, "DELETE")
    assert "body" not in none
    assert none["headers"]["content-length"] == "0"


async def chunks() -> Any:  # noqa: ANN401  an async generator
    yield b"one "
    yield b"two"


async def test_a_body_may_come_in_chunks_or_after_a_hundred(http: Http, stack: Stack) -> None:
    headers = {"Content-Type": "text/plain"}
    url = f"{stack.url}/echo"
    chunked = await echoed(http, url, "PUT", data=chunks(), headers=headers)
    assert (chunked["body"], chunked["headers"]["content-length"]) == ("one two", "7")
    assert "transfer-encoding" not in chunked["headers"]
    waited = await echoed(http, url, "PUT", data="x", headers=headers, expect100=True)
    assert waited["body"] == "x"


@pytest.mark.fact("H.route.any", "H.event.http")
@pytest.mark.parametrize("method", ["GET", "PUT", "OPTIONS", "DELETE", "PURGE"])
async def test_any_method_arrives(http: Http, stack: Stack, method: str) -> None:
    event = await echoed(http, f"{stack.url}/echo", method)
    assert event["requestContext"]["http"]["method"] == method
    assert event["routeKey"] == "ANY /echo"


async def test_head_is_answered_without_the_body(http: Http, stack: Stack) -> None:
    async with http.head(f"{stack.url}/echo") as answer:
        assert (answer.status, await answer.read()) == (200, b"")
        assert int(answer.headers["Content-Length"]) > 100


async def test_requests_side_by_side_share_workers(http: Http, stack: Stack) -> None:
    events = await asyncio.gather(
        *(echoed(http, f"{stack.url}/echo/{number}") for number in range(60))
    )
    assert [event["pathParameters"]["one"] for event in events] == [str(n) for n in range(60)]
    assert len({event["requestContext"]["requestId"] for event in events}) == 60
