"""Facts A3: what an authorizer must be given, and what its result means."""

from typing import Any

import pytest

from infra.local.cloudformation.intrinsics import Place
from infra.local.websocket.authorizer import Admitted, Refused, judge, lacks_identity, method_arn
from infra.local.websocket.events import Handshake
from infra.local.websocket.routes import Api

API = Api("111aaa222b", "prod", "x", {}, {"door": "open"})
ARN = "arn:aws:execute-api:us-east-1:000000000000:111aaa222b/prod/$connect"
HANDSHAKE = Handshake([("x-Token", "t")], [("name", "ann")], "::1", 1, "trace")


def result(
    resource: object = ARN,
    effect: str = "Allow",
    context: object = None,
    **more: Any,  # noqa: ANN401 - whatever handlers return
) -> dict[str, Any]:
    statement = {"Effect": effect, "Action": "execute-api:Invoke", "Resource": resource}
    policy = {"Version": "2012-10-17", "Statement": [statement, *more.pop("also", [])]}
    return {"principalId": "p", "policyDocument": policy, "context": context, **more}


def status(value: Any) -> int:  # noqa: ANN401 - the same
    judged = judge(value, ARN, 5)
    return judged.status if isinstance(judged, Refused) else 101


def test_the_methods_arn_names_api_stage_and_route() -> None:
    assert method_arn(API, Place()) == ARN


@pytest.mark.fact("A3.status.other-resource")
@pytest.mark.fact("A3.status.authorizer-output", "A5.authorizer-result")
@pytest.mark.fact("A3.authorizer.identity-sources")
@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        (ARN, 101),
        ([ARN], 101),
        ("*", 101),
        ("arn:aws:execute-api:us-east-1:000000000000:111aaa222b/*", 101),
        ("arn:aws:execute-api:*:*:111aaa222b/prod/*", 101),
        ("arn:aws:execute-api:us-east-1:000000000000:111aaa222b/prod/*/*", 403),
        ("arn:aws:execute-api:us-east-1:000000000000:other/prod/$connect", 403),
        ([], 403),
    ],
)
def test_a3_the_resource_of_an_allow_must_match(resource: Any, expected: int) -> None:  # noqa: ANN401 - text or list
    assert status(result(resource)) == expected


@pytest.mark.fact("A3.policy.deny-wins", "A3.status.denied")
def test_a3_deny_wins_over_allow() -> None:
    deny = {"Effect": "Deny", "Action": "*", "Resource": "*"}
    assert status(result()) == 101
    assert status(result(also=[deny])) == 403
    assert status(result(effect="Deny")) == 403


@pytest.mark.parametrize(
    "value",
    [
        None,
        "yes",
        {"isAuthorized": True},
        {"principalId": "p"},
        {**result(), "principalId": None},
        result(context={"list": [1]}),
        result(context={"map": {"a": 1}}),
        result(context="text"),
        result(context={"long": "x" * 8192}),
    ],
)
def test_a3_bad_output_is_a_server_error(value: Any) -> None:  # noqa: ANN401 - whatever handlers return
    assert status(value) == 500


@pytest.mark.fact("A3.authorizer.text-context")
def test_a3_context_values_become_text() -> None:
    admitted = judge(result(context={"n": 7, "b": False, "s": "x", "f": 1.5}), ARN, 5)
    assert isinstance(admitted, Admitted)
    assert admitted.context == {
        "principalId": "p",
        "integrationLatency": 5,
        "n": "7",
        "b": "false",
        "s": "x",
        "f": "1.5",
    }


@pytest.mark.parametrize(
    ("source", "is_missing"),
    [
        ("route.request.header.X-Token", False),
        ("route.request.header.Y", True),
        ("route.request.querystring.name", False),
        ("route.request.querystring.Name", True),
        ("stageVariables.door", False),
        ("stageVariables.window", True),
    ],
)
def test_a3_identity_sources_are_looked_up(source: str, is_missing: bool) -> None:  # noqa: FBT001 - an example's outcome
    assert lacks_identity([source], HANDSHAKE, API) is is_missing
