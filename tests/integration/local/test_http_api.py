"""HTTP APIs as clients meet them: real requests to real processes on `http/http.yaml`."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from yarl import URL

from infra.local.stack import Stack

HTTP = Path(__file__).parent / "http" / "http.yaml"
MEGABYTE = 1024 * 1024
Http = aiohttp.ClientSession


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    state = tmp_path_factory.mktemp("http")
    files = state / "files"
    (files / "v1").mkdir(parents=True)
    for path in ("index.html", "page.html", "v1/page.html"):
        (files / path).write_text(f"the file {path}")
    with Stack.start(template=HTTP, state=state / "s", static=files, test_clock=True) as running:
        yield running


async def told(answer: aiohttp.ClientResponse) -> tuple[int, Any]:
    return answer.status, await answer.json(content_type=None)


async def echoed(http: Http, url: str | URL, method: str = "GET", **more: Any) -> dict[str, Any]:  # noqa: ANN401  whatever aiohttp takes
    async with http.request(method, url, **more) as answer:
        event: dict[str, Any] = (await answer.json(content_type=None))["event"]
        return event


async def returned(http: Http, stack: Stack, value: object) -> aiohttp.ClientResponse:
    answer = await http.post(f"{stack.url}/return", json={"value": value}, allow_redirects=False)
    await answer.read()
    return answer


# -- where requests go ---------------------------------------------------------------------


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


# -- what clients get --------------------------------------------------------------------------


@pytest.mark.fact("H.response.cookies", "H.response.cookies-and-header", "H.response.base64")
async def test_an_answer_is_sent_with_its_status_headers_cookies_and_bytes(
    http: Http, stack: Stack
) -> None:
    value = {
        "statusCode": 418,
        "headers": {"Content-Type": "image/png", "Set-Cookie": "c=3", "X-Tea": "pot"},
        "cookies": ["a=1; Path=/", "b=2"],
        "body": "AP8=",
        "isBase64Encoded": True,
    }
    answer = await returned(http, stack, value)
    assert (answer.status, await answer.read()) == (418, b"\x00\xff")
    assert answer.headers.getall("Set-Cookie") == ["a=1; Path=/", "b=2", "c=3"]
    assert answer.headers.getall("Content-Type") == ["image/png"]
    assert answer.headers["X-Tea"] == "pot"


@pytest.mark.fact("H.response.object", "H.response.text", "H.response.nothing")
@pytest.mark.parametrize(
    ("value", "text"), [({"a": "é"}, '{"a": "é"}'), ("hello", "hello"), (None, "null")]
)
async def test_what_has_no_status_is_a_body(
    http: Http, stack: Stack, value: object, text: str
) -> None:
    answer = await returned(http, stack, value)
    assert (answer.status, await answer.text()) == (200, text)
    assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("status", [204, 304])
async def test_an_answer_that_has_no_body_gets_none(http: Http, stack: Stack, status: int) -> None:
    answer = await returned(http, stack, {"statusCode": status, "body": "x"})
    assert (answer.status, await answer.read()) == (status, b"")
    assert "Content-Type" not in answer.headers


@pytest.mark.fact("H.response.malformed", "H.response.header-list", "H.response.fraction")
@pytest.mark.parametrize(
    "asked",
    [
        {"do": "raise"},
        {"do": "die"},
        {"value": {"statusCode": 200.5}},
        {"value": {"statusCode": 200, "headers": {"x": ["y"]}}},
        {"value": {"statusCode": 200, "headers": {"x": "a\r\nb: c"}}},
    ],
)
async def test_failures_tell_no_detail(http: Http, stack: Stack, asked: object) -> None:
    async with http.post(f"{stack.url}/return", json=asked) as answer:
        assert await told(answer) == (500, {"message": "Internal Server Error"})


@pytest.mark.fact("H.response.timeout", "H.limit.timeout")
async def test_who_waits_too_long_is_told_unavailable_and_the_function_goes_on(
    http: Http, stack: Stack
) -> None:
    before = stack.metrics()["errors"].get("Return", 0)
    async with http.post(f"{stack.url}/slow", json={"do": "sleep", "seconds": 0.5}) as answer:
        assert await told(answer) == (503, {"message": "Service Unavailable"})
    await stack.settle_async()
    assert stack.metrics()["errors"].get("Return", 0) == before


@pytest.mark.fact("H.limit.payload", "H.limit.event")
@pytest.mark.parametrize("size", [6 * MEGABYTE, 10 * MEGABYTE + 1])
async def test_a_body_that_is_too_large_is_refused(http: Http, stack: Stack, size: int) -> None:
    text = {"Content-Type": "text/plain"}
    async with http.post(f"{stack.url}/echo", data=b"x" * size, headers=text) as answer:
        assert await told(answer) == (413, {"message": "Request Entity Too Large"})


@pytest.mark.fact("H.limit.event")
async def test_a_large_body_arrives(http: Http, stack: Stack) -> None:
    asked = {"do": "measure", "text": "x" * 5 * MEGABYTE}
    async with http.post(f"{stack.url}/return", json=asked) as answer:
        assert await answer.text() == str(5 * MEGABYTE)


@pytest.mark.fact("H.limit.response")
async def test_a_large_answer_is_sent_up_to_the_limit(http: Http, stack: Stack) -> None:
    for size, expected in ((5 * MEGABYTE, 200), (6 * MEGABYTE + 100, 500)):
        async with http.post(f"{stack.url}/return", json={"do": "much", "bytes": size}) as answer:
            assert answer.status == expected
            assert expected != 200 or len(await answer.read()) == size


@pytest.mark.fact("H.limit.head", "H.limit.head-status")
async def test_a_long_head_is_taken_up_to_the_limit(http: Http, stack: Stack) -> None:
    assert len((await echoed(http, f"{stack.url}/echo?{'x' * 9000}"))["rawQueryString"]) == 9000
    for url, headers in (
        (f"{stack.url}/echo?{'x' * 10_240}", {}),
        (f"{stack.url}/echo", {"x-a": "x" * 6000, "x-b": "x" * 6000}),
    ):
        async with http.get(url, headers=headers) as answer:
            assert await told(answer) == (431, {"message": "Request Header Fields Too Large"})


@pytest.mark.fact("H.limit.rate")
async def test_a_route_past_its_burst_is_throttled_until_time_has_passed(
    http: Http, stack: Stack
) -> None:
    async def statuses(count: int) -> list[int]:
        return [(await http.get(f"{stack.url}/v1/seldom")).status for _ in range(count)]

    assert await statuses(3) == [200, 200, 429]
    async with http.get(f"{stack.url}/v1/seldom") as answer:
        assert await told(answer) == (429, {"message": "Too Many Requests"})
    await stack.advance_async(1_000_000)
    assert await statuses(2) == [200, 429]
