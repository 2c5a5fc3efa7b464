"""Facts A3, A5 and SAM: what API Gateway refuses is refused when the template is read."""

from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from infra.local.cloudformation.intrinsics import TemplateError
from tests.unit.local.websocket.templates import URI, plain, read

DOOR = f"""
  Door:
    Type: AWS::ApiGatewayV2::Authorizer
    Properties: {{ApiId: !Ref Api, AuthorizerType: REQUEST, AuthorizerUri: {URI}, %s: %s}}
"""


def door(name: str = "Name", value: str = "door") -> str:
    return DOOR % (name, value)


def refused(fact: str | None, text: str, reason: str) -> ParameterSet:
    marks = [pytest.mark.fact(fact)] if fact else []
    return pytest.param(text, reason, marks=marks)


CUSTOM = "AuthorizationType: CUSTOM, AuthorizerId: !Ref Door"
INSIDE_CONNECT = {"Connect": CUSTOM}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        refused(
            "A3.authorizer.no-cache",
            plain(door("AuthorizerResultTtlInSeconds", "300"), **INSIDE_CONNECT),
            "AuthorizerResultTtlInSeconds",
        ),
        refused(
            "A3.authorizer.request",
            plain(door().replace("REQUEST", "JWT"), **INSIDE_CONNECT),
            "type REQUEST",
        ),
        refused(
            "A3.authorizer.request",
            plain(door("JwtConfiguration", "{Issuer: x}"), **INSIDE_CONNECT),
            "JwtConfiguration",
        ),
        refused(
            "A3.authorizer.identity-sources",
            plain(door("IdentitySource", "[$request.header.X]"), **INSIDE_CONNECT),
            r"\$request.header.X",
        ),
        refused("A3.authorizer.connect-only", plain(door(), One=CUSTOM), "CUSTOM on one"),
        refused("A3.iam", plain(Connect="AuthorizationType: AWS_IAM"), "AWS_IAM on .connect"),
        refused(None, plain(Connect=CUSTOM.replace("!Ref Door", "x")), "names no authorizer"),
        refused(None, plain().replace("RouteKey: one, ", ""), "route key"),
        refused("A2.reserved-keys", plain().replace("RouteKey: one", "RouteKey: $one"), "one"),
        refused(None, plain().replace("RouteKey: one", "RouteKey: $connect"), "two routes"),
        refused(
            "A2.expression.strange-variable",
            plain().replace("$request.body.do", "$request.header.do"),
            "request.header.do is not",
        ),
        refused(
            "A2.expression.strange-variable",
            plain().replace("$request.body.do", '"${request.body.a}-${context.b}"'),
            "context.b is not",
        ),
        refused("A5.integration-timeout", plain(Call="TimeoutInMillis: 29001"), "50 to 29000"),
        refused("A5.integration-timeout", plain(Call="TimeoutInMillis: 49"), "50 to 29000"),
        refused(None, plain(Call="ContentHandlingStrategy: CONVERT_TO_BINARY"), "not served"),
        refused(None, plain().replace("AWS_PROXY", "MOCK"), "not a Lambda proxy"),
        refused(None, plain().replace("ApiId: !Ref Api, StageName", "StageName"), "no stage"),
        refused(
            "SAM.stage.not-reserved",
            plain().replace("StageName: v1", "StageName: $default"),
            "Stage",
        ),
        refused(
            None, plain().replace("RouteSelectionExpression: $request.body.do", "Name: n"), "needs"
        ),
    ],
)
def test_it_is_refused_in_one_line(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(TemplateError, match=reason) as told:
        read(tmp_path, text)
    assert "\n" not in str(told.value)


NUMBERED = {
    "Authorizer": f"{{ApiId: !Ref Api, AuthorizerType: REQUEST, AuthorizerUri: {URI}}}",
    "Integration": f"{{ApiId: !Ref Api, IntegrationType: AWS_PROXY, IntegrationUri: {URI}}}",
    "Route": '{ApiId: !Ref Api, RouteKey: r%d, Target: !Sub "integrations/${Call}"}',
    "Stage": "{ApiId: !Ref Api, StageName: s%d}",
}


def many(kind: str, count: int) -> str:
    """Return so many resources of a kind, beside those of the plain template."""
    there = {"Authorizer": 0, "Integration": 1, "Route": 2, "Stage": 1}[kind]
    return "".join(
        f"\n  More{n}:\n    Type: AWS::ApiGatewayV2::{kind}\n    Properties: "
        + NUMBERED[kind].replace("%d", str(n))
        for n in range(count - there)
    )


@pytest.mark.parametrize(
    ("kind", "most"),
    [
        pytest.param("Authorizer", 10, marks=pytest.mark.fact("A5.authorizers")),
        pytest.param("Integration", 300, marks=pytest.mark.fact("A5.integrations")),
        pytest.param("Route", 300, marks=pytest.mark.fact("A5.routes")),
        pytest.param("Stage", 10, marks=pytest.mark.fact("A5.stages")),
    ],
)
def test_an_api_has_no_more_than_its_quotas(tmp_path: Path, kind: str, most: int) -> None:
    assert read(tmp_path, plain(many(kind, most)))
    with pytest.raises(TemplateError, match=f"{most + 1} {kind.lower()}s, at most {most}"):
        read(tmp_path, plain(many(kind, most + 1)))


@pytest.mark.fact("A5.integration-timeout")
def test_api_gateway_waits_29_seconds_unless_told_otherwise(tmp_path: Path) -> None:
    (api,) = read(tmp_path, plain()).values()
    assert api.routes["one"].timeout_ms == 29_000
    for limit in (50, 29_000):
        (api,) = read(tmp_path, plain(Call=f"TimeoutInMillis: {limit}")).values()
        assert api.routes["one"].timeout_ms == limit


def test_an_api_may_have_several_stages_each_with_its_own_variables(tmp_path: Path) -> None:
    more = (
        f"\n  Other:\n    Type: AWS::ApiGatewayV2::Stage\n    Properties: {NUMBERED['Stage'] % 2}"
    )
    apis = read(tmp_path, plain(more, Stage="StageVariables: {n: 1}"))
    assert {name: api.stage_variables for name, api in apis.items()} == {"v1": {"n": "1"}, "s2": {}}
    assert apis["v1"].id == apis["s2"].id


def test_two_apis_may_not_have_stages_of_the_same_name(tmp_path: Path) -> None:
    other = plain().partition("  Api:")[2].partition("  Call:")[0]
    more = "\n  Second:" + other.replace("  Stage:", "  SecondStage:").replace(
        "!Ref Api", "!Ref Second"
    )
    with pytest.raises(TemplateError, match="have a stage v1"):
        read(tmp_path, plain(more))
