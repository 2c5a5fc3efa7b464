"""Facts H.response: what a function's return value becomes."""

import base64
from typing import Any

import pytest

from infra.local.httpapi.answers import BROKEN, Answer, read_answer

JSON = {"Content-Type": "application/json"}
PLAIN = {"Content-Type": "text/plain; charset=utf-8"}
MOST = 6_291_556


@pytest.mark.fact("H.response.object", "H.response.text", "H.response.other")
@pytest.mark.parametrize(
    ("value", "body"),
    [
        ("Hello from Lambda!", "Hello from Lambda!"),
        ({"message": "Hello from Lambda!"}, '{"message": "Hello from Lambda!"}'),
        ('{"name": "John Doe", "age":', '{"name": "John Doe", "age":'),
        ('Special "quoted" text é', 'Special "quoted" text é'),
        ("", ""),
        ([1, 2, 3], "[1, 2, 3]"),
        (42, "42"),
        (True, "true"),
        ({"é": "☕"}, '{"é": "☕"}'),
    ],
)
def test_what_has_no_status_is_the_body_of_a_200(value: object, body: str) -> None:
    assert read_answer(value) == Answer(200, body.encode(), JSON)


@pytest.mark.fact("H.response.nothing")
def test_nothing_is_told_as_null() -> None:
    assert read_answer(None) == Answer(200, b"null", JSON)


@pytest.mark.fact("H.response.headers-without-status")
def test_headers_without_a_status_are_part_of_the_body() -> None:
    answer = read_answer({"key": "value", "headers": {"content-type": "application/xml"}})
    assert answer.headers == JSON
    assert b"application/xml" in answer.body


@pytest.mark.fact("H.response.content-type")
def test_an_answer_without_a_content_type_is_plain_text() -> None:
    assert read_answer({"statusCode": 201, "body": "{}"}) == Answer(201, b"{}", PLAIN)


def test_an_answer_may_have_no_body() -> None:
    assert read_answer({"statusCode": 302, "headers": {"Location": "/x"}}) == Answer(
        302, b"", {**PLAIN, "Location": "/x"}
    )


@pytest.mark.fact("H.response.content-type")
@pytest.mark.parametrize("name", ["Content-Type", "content-type", "CONTENT-TYPE"])
def test_a_functions_content_type_is_kept_in_any_letter_case(name: str) -> None:
    answer = read_answer({"statusCode": 200, "headers": {name: "image/png"}})
    assert answer.headers == {name: "image/png"}


@pytest.mark.fact("H.response.base64")
def test_a_base64_body_is_sent_as_the_bytes_it_stands_for() -> None:
    body = base64.b64encode(b"\x00\xff").decode()
    value = {"statusCode": 200, "body": body, "isBase64Encoded": True}
    assert read_answer(value).body == b"\x00\xff"
    assert read_answer({**value, "isBase64Encoded": False}).body == body.encode()


@pytest.mark.fact("H.response.cookies")
def test_cookies_are_kept_apart() -> None:
    value = {"statusCode": 200, "cookies": ["a=1; HttpOnly", "b=2"]}
    assert read_answer(value).cookies == ("a=1; HttpOnly", "b=2")


def shown(fact: str, **value: Any) -> Any:  # noqa: ANN401  whatever a handler returns
    answer = {"statusCode": 200, **value}
    return pytest.param(answer, id=str(value)[:40], marks=pytest.mark.fact(fact))


@pytest.mark.parametrize(
    "value",
    [
        shown("H.response.fraction", statusCode=200.5),
        shown("H.response.malformed", statusCode=None),
        shown("H.response.malformed", statusCode=0),
        shown("H.response.malformed", statusCode="OK"),
        shown("H.response.malformed", statusCode=True),
        shown("H.response.odd-status", statusCode=100),
        shown("H.response.odd-status", statusCode=600),
        shown("H.response.odd-status", statusCode="199"),
        shown("H.response.header-list", headers={"set-cookie": ["a=1", "b=2"]}),
        shown("H.response.odd-header", headers={"x-a": None}),
        shown("H.response.odd-header", headers={"x-a": {}}),
        shown("H.response.odd-header", headers={"x-a": "b\r\nSet-Cookie: c=d"}),
        shown("H.response.odd-header", headers={"x a": "b"}),
        shown("H.response.odd-header", headers={"": "b"}),
        shown("H.response.malformed", headers=["x-a"]),
        shown("H.response.odd-body", body={"a": 1}),
        shown("H.response.odd-body", body=7),
        shown("H.response.odd-body", body="not base64!", isBase64Encoded=True),
        shown("H.response.odd-body", body="é", isBase64Encoded=True),
        shown("H.response.odd-body", body="A P8=", isBase64Encoded=True),
        shown("H.response.malformed", cookies="a=1"),
        shown("H.response.malformed", cookies=[1]),
        shown("H.response.malformed", cookies=["a=1\r\nX: y"]),
    ],
)
def test_a_malformed_answer_is_an_internal_error(value: dict[str, object]) -> None:
    assert read_answer(value) == BROKEN
    assert (BROKEN.status, BROKEN.body) == (500, b'{"message":"Internal Server Error"}')
    assert BROKEN.headers == JSON


@pytest.mark.fact("H.response.odd-status")
def test_digits_are_a_status() -> None:
    assert read_answer({"statusCode": "404"}).status == 404


@pytest.mark.fact("H.response.odd-header")
def test_numbers_and_booleans_are_written_as_text() -> None:
    answer = read_answer({"statusCode": 200, "headers": {"x-a": 1, "x-b": True}})
    assert answer.headers == {**PLAIN, "x-a": "1", "x-b": "true"}


@pytest.mark.fact("H.response.multi-value", "H.response.odd-keys")
def test_keys_that_format_2_0_does_not_have_are_ignored() -> None:
    value = {"statusCode": 200, "multiValueHeaders": {"x-a": ["1"]}, "surprise": 1}
    assert read_answer(value) == Answer(200, b"", PLAIN)


@pytest.mark.fact("H.response.of-the-leg")
def test_headers_of_one_leg_are_the_gateways() -> None:
    headers = {"Connection": "close", "content-length": "7", "Transfer-Encoding": "chunked"}
    assert read_answer({"statusCode": 200, "headers": headers}).headers == PLAIN


@pytest.mark.fact("H.limit.response")
def test_more_than_six_megabytes_are_a_failure_of_the_function() -> None:
    frame = len('""')
    assert read_answer("x" * (MOST - frame)).status == 200
    assert read_answer("x" * (MOST - frame + 1)) == BROKEN
    assert read_answer({"statusCode": 200, "body": "x" * MOST}) == BROKEN
