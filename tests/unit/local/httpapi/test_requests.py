"""Facts H.path: what becomes of an encoded path."""

from unittest.mock import Mock

import pytest
from aiohttp import StreamReader
from aiohttp.test_utils import make_mocked_request

from infra.local.httpapi.requests import MOST_BODY_BYTES, decode_path, read_body


@pytest.mark.fact("H.path.decoded", "H.path.decoded-twice", "H.path.question-mark")
@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        ("/", "/"),
        ("/capture/plain", "/capture/plain"),
        ("/capture/space%20value", "/capture/space value"),
        ("/capture/question%3Fvalue", "/capture/question"),
        ("/capture/hash%23value", "/capture/hash#value"),
        ("/capture/slash%2Fvalue", "/capture/slash/value"),
        ("/capture/unicode-%CE%BB-%E4%B8%96%E7%95%8C", "/capture/unicode-λ-世界"),
        ("/capture/literal%252Fvalue", "/capture/literal/value"),
        ("/capture/literal%253Fvalue", "/capture/literal?value"),
        ("/capture/literal%2525value", "/capture/literal%value"),
        ("/plus+sign", "/plus+sign"),
    ],
)
def test_a_path_is_seen_as_it_was_captured_on_aws(sent: str, seen: str) -> None:
    assert decode_path(sent) == seen


@pytest.mark.fact("H.path.broken-escape")
@pytest.mark.parametrize("sent", ["/percent%25done", "/%", "/%2", "/%zz", "/a%2525%25x"])
def test_a_percent_sign_that_escapes_nothing_is_refused(sent: str) -> None:
    assert decode_path(sent) is None


def test_bytes_that_are_no_text_do_no_harm() -> None:
    assert decode_path("/%ff%fe") == "/\ufffd\ufffd"


@pytest.mark.fact("H.limit.payload")
async def test_a_payload_may_be_ten_megabytes_said_beforehand_or_not() -> None:
    assert MOST_BODY_BYTES == 10 * 1024 * 1024
    for size, is_taken in ((MOST_BODY_BYTES, True), (MOST_BODY_BYTES + 1, False)):
        content = StreamReader(Mock(_reading_paused=False), 2**16)
        content.feed_data(b"x" * size)
        content.feed_eof()
        chunked = make_mocked_request("POST", "/", payload=content)
        assert (await read_body(chunked) is not None) is is_taken


@pytest.mark.fact("H.limit.payload")
async def test_a_payload_that_is_said_to_be_too_large_is_not_waited_for() -> None:
    never = StreamReader(Mock(_reading_paused=False), 2**16)
    headers = {"Content-Length": str(MOST_BODY_BYTES + 1)}
    assert await read_body(make_mocked_request("POST", "/", headers, payload=never)) is None
