"""Facts A2: which returned objects are well-formed."""

from typing import Any

import pytest

from infra.local.websocket.proxy import ProxyResponse, read_proxy_response


@pytest.mark.fact("A2.failure.malformed", "A2.failure.nothing-returned")
@pytest.mark.parametrize(
    ("value", "response"),
    [
        ({"statusCode": 200}, ProxyResponse(200)),
        ({"statusCode": "204"}, ProxyResponse(204)),
        ({"statusCode": 500, "body": "x"}, ProxyResponse(500, "x")),
        (
            {"statusCode": 200, "headers": {"Sec-WebSocket-Protocol": "a"}},
            ProxyResponse(200, None, {"sec-websocket-protocol": "a"}),
        ),
        (
            {"statusCode": 200, "multiValueHeaders": {"X": ["a", "b"]}},
            ProxyResponse(200, None, {"x": "b"}),
        ),
    ],
)
def test_a2_a_well_formed_object_is_read(value: Any, response: ProxyResponse) -> None:  # noqa: ANN401 - whatever handlers return
    assert read_proxy_response(value) == response


@pytest.mark.parametrize(
    "value",
    [
        None,
        "OK",
        [],
        {},
        {"statusCode": None},
        {"statusCode": True},
        {"statusCode": 42},
        {"statusCode": 101},
        {"statusCode": 199},
        {"statusCode": 200, "body": {"a": 1}},
        {"statusCode": 200, "headers": "x"},
        {"statusCode": 200, "message": "extra keys are a mistake"},
    ],
)
def test_a2_a_malformed_object_is_none(value: Any) -> None:  # noqa: ANN401 - the same
    assert read_proxy_response(value) is None
