"""What clients of HTTP APIs get for what functions return, and for what is too much."""

import aiohttp
import pytest

from infra.local.stack import Stack
from tests.integration.local.http.at import Http, echoed, told

MEGABYTE = 1024 * 1024


@pytest.fixture(scope="module")
def stack(pages: Stack) -> Stack:
    return pages


async def returned(http: Http, stack: Stack, value: object) -> aiohttp.ClientResponse:
    answer = await http.post(f"{stack.url}/return", json={"value": value}, allow_redirects=False)
    await answer.read()
    return answer


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
