"""Facts A2: which route a message takes, and how routes are read from a template."""

from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from infra.local.cloudformation.intrinsics import Place, TemplateError
from infra.local.cloudformation.template import load
from infra.local.lambdas.functions import Function, read_functions
from infra.local.websocket.routes import Api, Route, read_apis, select

AB = '{"a":"x","b":"y"}'
FUNCTION = Function("F", "f", "arn:aws:lambda:r:0:function:f", "app.f", Path(), 3, 128, {})


def api(selection: str, *keys: str) -> Api:
    return Api("id", "live", selection, {key: Route(key, FUNCTION) for key in keys}, {})


def taken(selection: str, body: str, *keys: str) -> str | None:
    route = select(api(selection, *keys), body)
    return None if route is None else route.key


def shown(fact: str, *example: str) -> ParameterSet:
    return pytest.param(*example, marks=pytest.mark.fact(fact))


@pytest.mark.parametrize(
    ("selection", "body", "key"),
    [
        shown("A2.expression.path", "$request.body.action", '{"action":"move"}', "move"),
        shown("A2.expression.path", "${request.body.action}", '{"action":"move"}', "move"),
        shown("A2.expression.path", "$request.body.a.b", '{"a":{"b":"move"}}', "move"),
        shown("A2.expression.braces", "${request.body.a}/${request.body.b}", AB, "x/y"),
        shown("A2.expression.braces", "do-${request.body.a}-now", AB, "do-x-now"),
        shown("A2.expression.missing", "${request.body.a}/${request.body.c}", AB, "x/"),
        shown("A2.expression.missing", "${request.body.a.b}/${request.body.b}", AB, "/y"),
        shown("A2.expression.stringified", "$request.body.action", '{"action":7}', "7"),
        shown("A2.expression.stringified", "$request.body.action", '{"action":true}', "true"),
        shown("A2.expression.stringified", "$request.body.a", '{"a":[1,"b"]}', '[1,"b"]'),
        shown("A2.expression.static", "move", "{}", "move"),
        shown("A2.expression.escape", r"\$request.body.a", '{"a":"x"}', "$request.body.a"),
    ],
)
def test_a2_the_expression_selects_by_exact_match(selection: str, body: str, key: str) -> None:
    assert taken(selection, body, key, "$default") == key


@pytest.mark.fact("A2.exact-match", "A2.default", "A2.default.not-json", "A2.reserved-keys")
@pytest.mark.parametrize(
    "body",
    [
        '{"action":"Move"}',
        '{"action":""}',
        "{}",
        "[]",
        '"move"',
        "not JSON",
        "NaN",
        "[" * 10_000,  # nested deeper than anybody reads
        '{"action":"$connect"}',
        '{"action":"$disconnect"}',
    ],
)
def test_a2_everything_else_goes_to_default_or_nowhere(body: str) -> None:
    keys = ("move", "$connect", "$disconnect")
    assert taken("$request.body.action", body, *keys, "$default") == "$default"
    assert taken("$request.body.action", body, *keys) is None


URI = (
    "!Sub arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/"
    "${Code.Arn}/invocations"
)
RAW = f"""
Resources:
  Code:
    Type: AWS::Lambda::Function
    Properties: {{Code: code, Handler: app.f, Runtime: python3.13, Timeout: 7}}
  Api:
    Type: AWS::ApiGatewayV2::Api
    Properties: {{ProtocolType: WEBSOCKET, RouteSelectionExpression: $request.body.do}}
  Stage:
    Type: AWS::ApiGatewayV2::Stage
    Properties: {{ApiId: !Ref Api, StageName: v1, StageVariables: {{n: 1}}}}
  Call:
    Type: AWS::ApiGatewayV2::Integration
    Properties:
      ApiId: !Ref Api
      IntegrationType: AWS_PROXY
      TimeoutInMillis: 5000
      IntegrationUri: {URI}
  Connect:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      ApiId: !Ref Api
      RouteKey: $connect
      Target: !Sub "integrations/${{Call}}"
      AuthorizationType: CUSTOM
      AuthorizerId: !Ref Door
  Two:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      ApiId: !Ref Api
      RouteKey: two
      Target: !Join [/, [integrations, !Ref Call]]
      RouteResponseSelectionExpression: $default
  One:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      ApiId: !Ref Api
      RouteKey: one
      Target: !Sub "integrations/${{Call}}"
      RouteResponseSelectionExpression: $default
  Answer:
    Type: AWS::ApiGatewayV2::RouteResponse
    Properties: {{ApiId: !Ref Api, RouteId: !Ref Two, RouteResponseKey: $default}}
  Door:
    Type: AWS::ApiGatewayV2::Authorizer
    Properties:
      ApiId: !Ref Api
      AuthorizerType: REQUEST
      IdentitySource: [route.request.header.X]
      AuthorizerUri: {URI}
"""


def read(folder: Path, text: str) -> dict[str, Api]:
    (folder / "code").mkdir(exist_ok=True)
    (folder / "t.yaml").write_text(text)
    template = load(folder / "t.yaml", Place(), "http://127.0.0.1:1", {})
    return read_apis(template, read_functions(template))


@pytest.mark.fact("SAM.plain-resources")
def test_raw_api_gateway_resources_are_read(tmp_path: Path) -> None:
    (api,) = read(tmp_path, RAW).values()
    assert (api.stage, api.selection, api.stage_variables) == ("v1", "$request.body.do", {"n": "1"})
    assert set(api.routes) == {"$connect", "one", "two"}
    assert api.routes["one"].function.timeout_s == 7
    assert api.routes["one"].timeout_ms == 5000
    authorizer = api.routes["$connect"].authorizer
    assert authorizer is not None
    assert authorizer.identity_sources == ("route.request.header.X",)


@pytest.mark.fact("A2.two-way.both-needed")
def test_a2_a_route_answers_its_sender_only_with_expression_and_route_response(
    tmp_path: Path,
) -> None:
    (api,) = read(tmp_path, RAW).values()
    assert api.routes["two"].answers_sender
    assert not api.routes["one"].answers_sender


SAM = """
Transform: AWS::Serverless-2016-10-31
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties: {CodeUri: code, Handler: app.f, Runtime: python3.13}
  Api:
    Type: AWS::Serverless::WebSocketApi
    Properties:
      RouteSelectionExpression: $request.body.do
      StageName: prod
      Routes:
        $connect: {FunctionArn: !GetAtt F.Arn}
        $default: {FunctionArn: !GetAtt F.Arn, IntegrationTimeout: 1000}
"""


@pytest.mark.fact("SAM.routes", "SAM.integration-timeout")
def test_the_websocket_api_of_sam_is_read_through_the_transform(tmp_path: Path) -> None:
    (api,) = read(tmp_path, SAM).values()
    assert api.stage == "prod"
    assert set(api.routes) == {"$connect", "$default"}
    assert api.routes["$default"].timeout_ms == 1000
    assert api.routes["$default"].function.code == tmp_path / "code"


@pytest.mark.fact("A3.authorizer.request")
def test_a3_an_authorizer_for_websockets_is_of_type_request_only(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="REQUEST"):
        read(tmp_path, RAW.replace("AuthorizerType: REQUEST", "AuthorizerType: JWT"))
