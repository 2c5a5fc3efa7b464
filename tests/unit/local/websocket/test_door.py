"""Facts A3: what a client must bring besides the authorizer's word."""

import dataclasses
from pathlib import Path

import pytest

from infra.local.lambdas.functions import Function
from infra.local.websocket.authorizer import FORBIDDEN, Admitted, Refused, judge
from infra.local.websocket.events import Handshake
from infra.local.websocket.handshake import lacking
from infra.local.websocket.keys import FROM_AUTHORIZER
from infra.local.websocket.routes import Api, Route

FUNCTION = Function("F", "f", "arn:aws:lambda:r:0:function:f", "app.f", Path(), 3, 128, {})
LOCKED = Route("$connect", FUNCTION, needs_key=True)
API = Api("id", "live", "x", {"$connect": LOCKED}, {}, keys=frozenset({"sesame"}))
BY_AUTHORIZER = dataclasses.replace(API, key_source=FROM_AUTHORIZER)


def came(**headers: str) -> Handshake:
    return Handshake(list(headers.items()), [("room", "1"), ("empty", "")], "::1", 1, "trace")


@pytest.mark.fact("A3.api-key.header")
def test_a_key_in_the_header_is_written_as_the_client_likes() -> None:
    for name in ("x-api-key", "X-API-Key"):
        handshake = came(**{name: "sesame"})
        assert lacking(LOCKED, API, handshake, Admitted({})) is None
    assert lacking(LOCKED, API, came(), Admitted({}, "sesame")) == FORBIDDEN


@pytest.mark.fact("A3.api-key.authorizer")
def test_where_the_authorizer_says_the_key_the_header_does_not_count() -> None:
    assert lacking(LOCKED, BY_AUTHORIZER, came(), Admitted({}, "sesame")) is None
    header = came(**{"x-api-key": "sesame"})
    assert lacking(LOCKED, BY_AUTHORIZER, header, Admitted({}, "other")) == FORBIDDEN
    assert lacking(LOCKED, BY_AUTHORIZER, header, Admitted({})) == FORBIDDEN


@pytest.mark.fact("A3.api-key.authorizer")
def test_the_authorizer_says_the_key_beside_its_policy() -> None:
    arn = "arn:aws:execute-api:us-east-1:0:id/live/$connect"
    statement = {"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": arn}
    policy = {"Version": "2012-10-17", "Statement": [statement]}
    result = {"principalId": "p", "policyDocument": policy, "usageIdentifierKey": "sesame"}
    judged = judge(result, arn, 1)
    assert isinstance(judged, Admitted)
    assert judged.usage_key == "sesame"
    assert "usageIdentifierKey" not in judged.context


def test_without_a_demand_for_a_key_nobody_is_asked() -> None:
    assert lacking(Route("$connect", FUNCTION), API, came(), Admitted({})) is None


@pytest.mark.fact("A3.parameters")
@pytest.mark.parametrize(
    ("required", "missing"),
    [
        (("route.request.querystring.room",), None),
        (("route.request.querystring.Room",), "Room"),
        (("route.request.querystring.empty",), "empty"),
        (("route.request.header.x-client",), None),  # header names have no letter case
        (("route.request.header.A", "route.request.querystring.b"), "A, b"),
    ],
)
def test_parameters_that_are_required_are_looked_for(
    required: tuple[str, ...], missing: str | None
) -> None:
    route = Route("$connect", FUNCTION, required=required)
    told = lacking(route, API, came(**{"X-Client": "c"}), Admitted({}))
    expected = f"Missing required request parameters: [{missing}]"
    assert told == (None if missing is None else Refused(400, expected))
