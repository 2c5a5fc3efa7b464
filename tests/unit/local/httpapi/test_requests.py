"""Facts H.path: what becomes of an encoded path."""

import pytest

from infra.local.httpapi.requests import decode_path


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
