"""The terminal is told why a client was refused; the client is not."""

import pytest

from infra.local.json_values import Json
from infra.local.websocket.complaints import why_malformed
from infra.local.websocket.proxy import read_proxy_response


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "it returned nothing"),
        ("done", "it returned a str"),
        ({"status": 200}, "it returned a key 'status'"),
        ({"body": "x"}, "it returned no statusCode"),
        ({"statusCode": 200, "body": {}}, "the body it returned is no text"),
        ({"statusCode": "ok"}, "its statusCode or its headers are malformed"),
    ],
)
def test_it_is_told_what_is_wrong_with_an_answer(value: Json, why: str) -> None:
    assert read_proxy_response(value) is None
    assert why_malformed(value).startswith(why)
