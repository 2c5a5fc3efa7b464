"""Facts H.authorizer: what an authorizer needs, what its result means, how long it holds."""

from dataclasses import replace
from typing import Any

import pytest

from infra.local.httpapi.authorizer import Cache, Verdict, identity, is_source, read_verdict
from infra.local.httpapi.events import request_context, route_arn
from infra.local.httpapi.routes import Authorizer, Stage
from tests.unit.local.httpapi.test_events import BARE, CAPTURED, FUNCTION, arrival

SIMPLE = Authorizer("A", FUNCTION, has_simple_responses=True)
POLICY = Authorizer("A", FUNCTION)
ARN = route_arn(arrival(BARE))


def found(source: str, request: Any = CAPTURED) -> str:  # noqa: ANN401  a request
    asked = arrival(request, Stage("v1", {"COLOUR": "green"}))
    (value,) = identity((source,), asked, request_context(asked))
    return value


@pytest.mark.fact("H.authorizer.identity-kinds")
@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("$request.header.X-VOKER-probe", "first,second"),
        ("$request.header.Authorization", ""),
        ("$request.querystring.repeat", "one,two"),
        ("$request.querystring.Repeat", ""),
        ("$request.querystring.empty", ""),
        ("$stageVariables.COLOUR", "green"),
        ("$stageVariables.colour", ""),
        ("$context.routeKey", "$default"),
        ("$context.stage", "v1"),
        ("$context.httpMethod", "POST"),
        ("$context.path", "/capture/space value"),
        ("$context.protocol", "HTTP/1.1"),
        ("$context.requestId", "ATfSmjLgPHcESJw="),
        ("$context.requestTime", "10/Jul/2026:19:19:05 +0000"),
        ("$context.requestTimeEpoch", "1783711145766"),
        ("$context.identity.sourceIp", "68.8.83.18"),
        ("$context.identity.userAgent", "curl/8.7.1"),
        ("$context.accountId", "000000000000"),
        ("$context.apiId", "sjzepsqsu5"),
        ("$context.domainPrefix", "sjzepsqsu5"),
    ],
)
def test_an_identity_source_is_read_from_its_place(source: str, value: str) -> None:
    assert is_source(source)
    assert found(source) == value


@pytest.mark.parametrize(
    "source",
    [
        "route.request.header.Auth",
        "$request.header.",
        "$request.body.a",
        "$context.nonsense",
        "Auth",
    ],
)
def test_what_cannot_be_read_is_no_identity_source(source: str) -> None:
    assert not is_source(source)


def policy(effect: str = "Allow", resource: object = ARN, **more: Any) -> dict[str, Any]:  # noqa: ANN401  whatever handlers return
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": resource}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    return {"principalId": "p", "policyDocument": document, **more}


def admitted(result: object, authorizer: Authorizer) -> bool | None:
    verdict = read_verdict(result, authorizer)
    return None if verdict is None else verdict.admits(ARN)


@pytest.mark.fact("H.authorizer.simple")
@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"isAuthorized": True}, True),
        ({"isAuthorized": False}, False),
        ({"isAuthorized": True, "context": {}}, True),
    ],
)
def test_a_simple_response_says_yes_or_no(result: object, *, expected: bool) -> None:
    assert admitted(result, SIMPLE) is expected


@pytest.mark.fact("H.authorizer.policy")
@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (policy(), True),
        (policy("Deny"), False),
        (policy(resource=[f"{ARN}x", "*"]), True),
        (policy(resource=f"{ARN}x"), False),
        (policy(resource=ARN.replace("GET", "POST")), False),
        (policy(resource=ARN.replace("GET/", "*")), True),
    ],
)
def test_a_policy_is_judged_against_the_route(result: object, *, expected: bool) -> None:
    assert admitted(result, POLICY) is expected


@pytest.mark.fact("H.authorizer.failure")
@pytest.mark.parametrize(
    ("result", "authorizer"),
    [
        (None, SIMPLE),
        ("yes", SIMPLE),
        ({}, SIMPLE),
        ({"isAuthorized": "true"}, SIMPLE),
        ({"isAuthorized": 1}, SIMPLE),
        ({"isAuthorized": True, "context": "x"}, SIMPLE),
        (policy(), SIMPLE),
        ({"isAuthorized": True}, POLICY),
        ({**policy(), "principalId": None}, POLICY),
        ({"principalId": "p", "policyDocument": {}}, POLICY),
        ({"principalId": "p", "policyDocument": {"Statement": [{"Effect": "Allow"}]}}, POLICY),
    ],
)
def test_what_is_no_result_is_a_failure(result: object, authorizer: Authorizer) -> None:
    assert read_verdict(result, authorizer) is None


@pytest.mark.fact("H.authorizer.context")
def test_values_of_the_context_keep_their_types() -> None:
    context = {"a": "b", "n": 1, "yes": True, "list": ["x"], "map": {"y": None}}
    verdict = read_verdict({"isAuthorized": True, "context": context}, SIMPLE)
    assert verdict == Verdict(says=True, context=context)


@pytest.mark.fact("H.authorizer.cache")
def test_a_verdict_holds_until_its_instant() -> None:
    cache, yes, no = Cache(), Verdict(says=True, context=None), Verdict(says=False, context=None)
    cache.keep(("a", "ann"), yes, until=60_000, now=0)
    cache.keep(("a", "bob"), no, until=60_000, now=0)
    assert cache.get(("a", "ann"), 59_999) == yes
    assert cache.get(("a", "bob"), 59_999) == no
    assert cache.get(("a", "ann"), 60_000) is None
    assert cache.get(("a", "cid"), 0) is None


def test_verdicts_that_hold_no_more_are_forgotten() -> None:
    cache, verdict = Cache(), Verdict(says=True, context=None)
    for number in range(100):
        cache.keep((str(number),), verdict, until=number + 10, now=number)
    assert len(cache._kept) <= 11


@pytest.mark.fact("H.authorizer.cache-policy")
def test_one_policy_may_admit_to_one_route_and_not_to_another() -> None:
    verdict = read_verdict(policy(resource=route_arn(arrival(replace(BARE, path="/a")))), POLICY)
    assert verdict is not None
    assert verdict.admits(route_arn(arrival(replace(BARE, path="/a"))))
    assert not verdict.admits(route_arn(arrival(replace(BARE, path="/b"))))
