"""Facts SAM: what AWS::Serverless::WebSocketApi becomes, and what is refused."""

from collections import Counter
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from infra.local.apigateway.throttles import Rate
from infra.local.cloudformation.intrinsics import TemplateError
from tests.unit.local.websocket.templates import SAM, loaded, read, sam

AUTH = "      Auth: {AuthType: CUSTOM, AuthArn: !GetAtt F.Arn, IdentitySource: [%s]}\n"
AUTH = AUTH % "route.request.header.Token"


@pytest.mark.fact("SAM.emits")
def test_it_makes_plain_resources_for_each_route(tmp_path: Path) -> None:
    template = loaded(tmp_path, sam(AUTH))
    kinds = Counter(one.kind.rpartition("::")[2] for one in template.resources.values())
    assert kinds["Api"] == kinds["Stage"] == kinds["Authorizer"] == 1
    assert kinds["Route"] == kinds["Integration"] == 3
    assert kinds["Permission"] == 4  # one for the authorizer
    for integration in template.of_kind("AWS::ApiGatewayV2::Integration"):
        assert integration.properties["IntegrationType"] == "AWS_PROXY"


@pytest.mark.fact("SAM.no-route-response")
def test_it_makes_no_route_response_so_nothing_is_answered(tmp_path: Path) -> None:
    template = loaded(tmp_path, sam(go="RouteResponseSelectionExpression: $default"))
    assert not list(template.of_kind("AWS::ApiGatewayV2::RouteResponse"))
    (api,) = read(tmp_path, sam(go="RouteResponseSelectionExpression: $default")).values()
    assert not api.routes["go"].answers_sender


@pytest.mark.fact("SAM.auth")
def test_auth_is_the_authorizer_of_connect_alone(tmp_path: Path) -> None:
    (api,) = read(tmp_path, sam(AUTH)).values()
    door = api.routes["$connect"].authorizer
    assert door is not None
    assert door.function.logical_id == "F"
    assert door.identity_sources == ("route.request.header.Token",)
    assert [key for key, route in api.routes.items() if route.authorizer] == ["$connect"]
    (made,) = loaded(tmp_path, sam(AUTH)).of_kind("AWS::ApiGatewayV2::Authorizer")
    assert made.properties["AuthorizerType"] == "REQUEST"


@pytest.mark.fact("SAM.stage.default", "SAM.stage.auto-deploy")
def test_the_stage_is_called_default_and_deployed_by_itself(tmp_path: Path) -> None:
    assert list(read(tmp_path, sam())) == ["default"]
    assert list(read(tmp_path, sam("      StageName: prod\n"))) == ["prod"]
    (stage,) = loaded(tmp_path, sam()).of_kind("AWS::ApiGatewayV2::Stage")
    assert stage.properties["AutoDeploy"] is True


@pytest.mark.fact("SAM.stage.settings")
def test_settings_of_the_stage_are_passed_on(tmp_path: Path) -> None:
    settings = (
        "      StageVariables: {colour: blue}\n"
        "      DefaultRouteSettings: {ThrottlingRateLimit: 5, ThrottlingBurstLimit: 2}\n"
        "      RouteSettings: {go: {ThrottlingRateLimit: 9, ThrottlingBurstLimit: 3}}\n"
    )
    (api,) = read(tmp_path, sam(settings)).values()
    assert api.stage_variables == {"colour": "blue"}
    assert (api.rates.of("$default"), api.rates.of("go")) == (Rate(5, 2), Rate(9, 3))


@pytest.mark.fact("SAM.api-key")
def test_the_demand_for_a_key_is_passed_on(tmp_path: Path) -> None:
    (api,) = read(tmp_path, sam(connect="ApiKeyRequired: true")).values()
    assert [key for key, route in api.routes.items() if route.needs_key] == ["$connect"]


@pytest.mark.fact("SAM.parameters")
def test_required_parameters_of_connect_are_passed_on(tmp_path: Path) -> None:
    given = "RequestParameters: {route.request.querystring.room: {Required: true}}"
    (api,) = read(tmp_path, sam(connect=given)).values()
    assert api.routes["$connect"].required == ("route.request.querystring.room",)


@pytest.mark.fact("SAM.models")
def test_models_are_passed_on(tmp_path: Path) -> None:
    model = "{ApiId: !Ref Api, Name: Tea, Schema: {required: [cups]}}"
    more = f"\n  Tea:\n    Type: AWS::ApiGatewayV2::Model\n    Properties: {model}\n"
    asked = "ModelSelectionExpression: $request.body.is, RequestModels: {tea: Tea}"
    (api,) = read(tmp_path, sam(go=asked) + more).values()
    validation = api.routes["go"].validation
    assert validation is not None
    assert validation.accepts('{"is":"tea","cups":1}')
    assert not validation.accepts('{"is":"tea"}')


@pytest.mark.fact("SAM.connect-for-connect")
def test_a_route_called_connect_takes_the_place_of_the_one_that_matters(tmp_path: Path) -> None:
    (api,) = read(tmp_path, sam(AUTH).replace("        go:", "        connect:")).values()
    assert set(api.routes) == {"connect", "$default"}


def refused(fact: str, text: str, reason: str) -> ParameterSet:
    return pytest.param(text, reason, marks=pytest.mark.fact(fact))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        refused("SAM.alphanumeric", SAM.replace("go:", "go_on:"), "alphanumeric"),
        refused("SAM.alphanumeric", SAM.replace("go:", "go-on:"), "alphanumeric"),
        refused("SAM.alphanumeric", SAM.replace("go:", "go.on:"), "alphanumeric"),
        refused(
            "SAM.auth.needs-connect",
            sam(AUTH).replace("        $connect:", "        c:"),
            "connect",
        ),
        refused("SAM.auth.types", sam("      Auth: {AuthType: JWT}\n"), "AuthType 'JWT'"),
        refused("SAM.auth.types", sam("      Auth: {AuthType: CUSTOM}\n"), "AuthArn must be"),
        refused("SAM.auth.types", sam("      Auth: {AuthType: AWS_IAM}\n"), "AWS_IAM on .connect"),
        refused("SAM.stage.not-reserved", sam("      StageName: $default\n"), "default"),
        refused(
            "SAM.selection",
            SAM.replace("      RouteSelectionExpression: $request.body.do\n", ""),
            "RouteSelectionExpression",
        ),
        refused(
            "SAM.routes", SAM.replace("go: {FunctionArn: !GetAtt F.Arn}", "go: {}"), "function"
        ),
        refused(
            "SAM.parameters",
            sam(go="RequestParameters: {route.request.header.X: {Required: true}}"),
            "connect",
        ),
    ],
)
def test_it_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(TemplateError, match=reason):
        read(tmp_path, text)


@pytest.mark.fact("SAM.auth.types")
def test_without_authorization_everybody_may_come(tmp_path: Path) -> None:
    (api,) = read(tmp_path, sam("      Auth: {AuthType: NONE}\n")).values()
    assert api.routes["$connect"].authorizer is None
