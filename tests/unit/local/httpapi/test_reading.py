"""How HTTP APIs are read from a template, and what is refused there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from infra.local.apigateway.throttles import Rate
from infra.local.cloudformation.intrinsics import Place, TemplateError
from infra.local.cloudformation.template import load
from infra.local.httpapi.cors import Cors
from infra.local.httpapi.reading import read_http_apis
from infra.local.httpapi.routes import HttpApi
from infra.local.lambdas.functions import read_functions

Read = Callable[[str], tuple[HttpApi, ...]]

HEAD = """
Transform: AWS::Serverless-2016-10-31
Globals: {Function: {Runtime: python3.13, CodeUri: ., Handler: app.x}}
Resources:
  Guard: {Type: AWS::Serverless::Function}
"""
URI = "arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Guard.Arn}/invocations"
RAW = f"""
  Api: {{Type: AWS::ApiGatewayV2::Api, Properties: {{Name: x, ProtocolType: HTTP%(api)s}}}}
  Stage: {{Type: AWS::ApiGatewayV2::Stage, Properties: {{ApiId: !Ref Api, StageName: v1%(stage)s}}}}
  Route:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      {{ApiId: !Ref Api, RouteKey: "%(key)s", Target: !Sub "integrations/${{Call}}"%(route)s}}
  Call:
    Type: AWS::ApiGatewayV2::Integration
    Properties:
      ApiId: !Ref Api
      IntegrationType: AWS_PROXY
      IntegrationUri: !Sub {URI}
      %(call)s
  Asked:
    Type: AWS::ApiGatewayV2::Authorizer
    Properties:
      ApiId: !Ref Api
      Name: asked
      AuthorizerUri: !Sub {URI}
      %(asked)s
"""
CALL = 'PayloadFormatVersion: "2.0"'
ASKED = 'AuthorizerType: REQUEST\n      AuthorizerPayloadFormatVersion: "2.0"'
GUARDED = ", AuthorizationType: CUSTOM, AuthorizerId: !Ref Asked"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read(resources: str) -> tuple[HttpApi, ...]:
        path = tmp_path / "template.yaml"
        path.write_text(HEAD + resources)
        template = load(path, Place(), "http://127.0.0.1:1", {})
        return read_http_apis(template, read_functions(template))

    return read


def raw(**changed: str) -> str:
    usual = {"api": "", "stage": "", "route": "", "key": "GET /a/{b}", "call": CALL}
    return RAW % {**usual, "asked": ASKED, **changed}


def test_an_api_of_plain_resources_is_read(read: Read) -> None:
    cors = ", CorsConfiguration: {AllowOrigins: ['*'], MaxAge: 5}"
    call = f"{CALL}\n      TimeoutInMillis: 1000"
    stage = ", StageVariables: {A: 1}, DefaultRouteSettings: {ThrottlingBurstLimit: 3}"
    asked = (
        f"{ASKED}\n      IdentitySource: [$request.header.Auth]\n"
        "      AuthorizerResultTtlInSeconds: 60\n      EnableSimpleResponses: true"
    )
    (api,) = read(raw(api=cors, call=call, stage=stage, asked=asked, route=GUARDED))
    (route,) = api.routes
    assert (route.key, route.timeout_ms) == ("GET /a/{b}", 1000)
    assert route.function.logical_id == "Guard"
    assert route.authorizer is not None
    assert route.authorizer.identity_sources == ("$request.header.Auth",)
    assert (route.authorizer.ttl_s, route.authorizer.has_simple_responses) == (60, True)
    assert api.cors == Cors(origins=("*",), max_age_s=5)
    (found,) = api.stages
    assert (found.name, found.variables) == ("v1", {"A": "1"})
    assert found.rates.of("GET /a/{b}") == Rate(10_000, 3)


@pytest.mark.fact("H.authorizer.cache-off", "H.limit.timeout")
def test_what_is_not_said_is_what_aws_takes(read: Read) -> None:
    (api,) = read(raw(route=GUARDED))
    (route,) = api.routes
    assert route.timeout_ms == 30_000
    assert route.authorizer is not None
    assert (route.authorizer.ttl_s, route.authorizer.has_simple_responses) == (0, False)
    assert api.cors is None
    assert api.stages[0].variables == {}


SAM = """
  F:
    Type: AWS::Serverless::Function
    Properties:
      Events:
        A: {Type: HttpApi, Properties: {Path: "/a/{b}/{c+}", Method: get, TimeoutInMillis: 500}}
        D: {Type: HttpApi}
        M: {Type: HttpApi, Properties: {Path: /m, Method: any, ApiId: !Ref Mine}}
        O:
          Type: HttpApi
          Properties: {Path: /o, Method: GET, ApiId: !Ref Mine, Auth: {Authorizer: NONE}}
  Mine:
    Type: AWS::Serverless::HttpApi
    Properties:
      StageName: v1
      CorsConfiguration:
        {AllowOrigins: [https://a.example], AllowCredentials: true, MaxAge: 9,
        AllowMethods: [GET], AllowHeaders: [x-a], ExposeHeaders: [x-b]}
      RouteSettings: {"GET /o": {ThrottlingRateLimit: 2}}
      Auth:
        DefaultAuthorizer: La
        Authorizers:
          La:
            FunctionArn: !GetAtt Guard.Arn
            AuthorizerPayloadFormatVersion: 2.0
            EnableSimpleResponses: true
            Identity:
              {Headers: [X-Key], QueryStrings: [q], Context: [routeKey], StageVariables: [S],
              ReauthorizeEvery: 30}
"""


def test_what_sam_makes_of_its_own_resources_is_read(read: Read) -> None:
    mine, implicit = sorted(read(SAM), key=lambda api: api.stages[0].name, reverse=True)
    assert {route.key: route.timeout_ms for route in implicit.routes} == {
        "GET /a/{b}/{c+}": 500,
        "$default": 30_000,
    }
    assert [stage.name for stage in implicit.stages] == ["$default"]
    routes = {route.key: route for route in mine.routes}
    assert set(routes) == {"ANY /m", "GET /o"}
    authorizer = routes["ANY /m"].authorizer
    assert authorizer is not None
    assert authorizer.function.logical_id == "Guard"
    assert set(authorizer.identity_sources) == {
        "$request.header.X-Key",
        "$request.querystring.q",
        "$context.routeKey",
        "$stageVariables.S",
    }
    assert (authorizer.ttl_s, authorizer.has_simple_responses) == (30, True)
    assert routes["GET /o"].authorizer is None
    assert mine.cors == Cors(
        origins=("https://a.example",),
        methods=("GET",),
        headers=("x-a",),
        exposed=("x-b",),
        max_age_s=9,
        has_credentials=True,
    )
    assert mine.stages[0].rates.of("GET /o") == Rate(2, 5_000)


@pytest.mark.fact("H.template.target")
def test_a_target_makes_the_default_route_and_stage(read: Read) -> None:
    (api,) = read(
        "  Q: {Type: AWS::ApiGatewayV2::Api,"
        " Properties: {Name: q, ProtocolType: HTTP, Target: !GetAtt Guard.Arn}}"
    )
    assert [route.key for route in api.routes] == ["$default"]
    assert [stage.name for stage in api.stages] == ["$default"]


def test_a_template_without_http_apis_has_none(read: Read) -> None:
    assert read("") == ()


OPENAPI = """
  Api:
    Type: AWS::ApiGatewayV2::Api
    Properties: {Body: {openapi: 3.0.1, %s}}
  Stage: {Type: AWS::ApiGatewayV2::Stage, Properties: {ApiId: !Ref Api, StageName: v1}}
"""
JWT = """
  Api:
    Type: AWS::Serverless::HttpApi
    Properties:
      Auth:
        DefaultAuthorizer: J
        Authorizers:
          J:
            IdentitySource: $request.header.A
            JwtConfiguration: {issuer: https://i.example, audience: [a]}
  F:
    Type: AWS::Serverless::Function
    Properties: {Events: {A: {Type: HttpApi, Properties: {ApiId: !Ref Api, Path: /a, Method: GET}}}}
"""
IAM = """
  F:
    Type: AWS::Serverless::Function
    Properties:
      Events:
        A:
          Type: HttpApi
          Properties: {ApiId: !Ref Api, Path: /a, Method: GET, Auth: {Authorizer: AWS_IAM}}
  Api: {Type: AWS::Serverless::HttpApi, Properties: {Auth: {EnableIamAuthorizer: true}}}
"""
TWICE = """
  Again: {Type: AWS::ApiGatewayV2::Api, Properties: {Name: x, ProtocolType: HTTP}}
  AgainStage: {Type: AWS::ApiGatewayV2::Stage, Properties: {ApiId: !Ref Again, StageName: v1}}
"""
SAME = """
  Same:
    Type: AWS::ApiGatewayV2::Route
    Properties: {ApiId: !Ref Api, RouteKey: "GET /a/{b}", Target: !Sub "integrations/${Call}"}
"""
OVERRIDES = "  O: {Type: AWS::ApiGatewayV2::ApiGatewayManagedOverrides, Properties: {ApiId: x}}"


def asked(line: str) -> str:
    return raw(asked=f"{ASKED}\n      {line}", route=GUARDED)


@pytest.mark.fact(
    "H.template.version",
    "H.route.greedy-last",
    "H.authorizer.cache-identity",
    "H.authorizer.ttl",
    "H.cors.credentials",
    "H.limit.timeout",
)
@pytest.mark.parametrize(
    ("resources", "told"),
    [
        (raw(call='PayloadFormatVersion: "1.0"'), "payload format 1.0"),
        (raw(call="TimeoutInMillis: 50"), "no payload format version"),
        (raw(call=f"{CALL}\n      TimeoutInMillis: 30001"), "TimeoutInMillis is 50 to 30000"),
        (raw(call=f"{CALL}\n      RequestParameters: {{a: b}}"), "RequestParameters"),
        (raw(call=f"{CALL}\n      ResponseParameters: {{a: b}}"), "ResponseParameters"),
        (raw(call=f"{CALL}\n      IntegrationSubtype: SQS-SendMessage"), "IntegrationSubtype"),
        (raw().replace("AWS_PROXY", "HTTP_PROXY"), "not a Lambda proxy"),
        (raw().replace("${Call}", "Nothing"), "no integration"),
        (raw().replace("${Guard.Arn}", "nobody"), "names no function"),
        (raw(key="GET a"), "is no route key"),
        (raw(key="FETCH /a"), "is no route key"),
        (raw(key="GET /a{b}"), "is no route key"),
        (raw(key="GET /{a+}/b"), "greedy variable must be the last"),
        (raw(route=", AuthorizationType: AWS_IAM"), "authorization AWS_IAM"),
        (raw(route=", AuthorizationType: JWT, AuthorizerId: !Ref Asked"), "authorization JWT"),
        (raw(route=", AuthorizationType: CUSTOM, AuthorizerId: Nobody"), "no authorizer"),
        (raw(asked="AuthorizerType: REQUEST", route=GUARDED), "no payload format version"),
        (
            raw(
                asked='AuthorizerType: REQUEST\n      AuthorizerPayloadFormatVersion: "1.0"',
                route=GUARDED,
            ),
            "payload format 1.0",
        ),
        (asked("AuthorizerResultTtlInSeconds: 60"), "no identity source"),
        (asked("AuthorizerResultTtlInSeconds: 3601"), "0 to 3600"),
        (asked("IdentitySource: [route.request.header.A]"), "identity source"),
        (asked("IdentitySource: [$context.nonsense]"), "identity source"),
        (
            raw(api=", CorsConfiguration: {AllowOrigins: ['*'], AllowCredentials: true}"),
            "AllowCredentials",
        ),
        (raw(api=", CorsConfiguration: {AllowOrigins: [chess.example]}"), "no scheme"),
        (raw(api=", BodyS3Location: {Bucket: b, Key: k}"), "BodyS3Location"),
        (raw(stage=", RouteSettings: {GET /zzz: {ThrottlingBurstLimit: 1}}"), "GET /zzz"),
        (raw() + TWICE, "two HTTP APIs have a stage v1"),
        (raw() + SAME, "route GET /a/{b} twice"),
        (raw().replace("ApiId: !Ref Api, StageName", "ApiId: other, StageName"), "has no stage"),
        (JWT, "J is no Lambda authorizer"),
        (IAM, "AWS_IAM is no Lambda authorizer"),
        (OVERRIDES, "ManagedOverrides is not served"),
        (OPENAPI % "paths: {/a: {get: {}}}", "no integration of its own"),
    ],
)
def test_what_is_not_served_is_refused_in_one_line(read: Read, resources: str, told: str) -> None:
    with pytest.raises(TemplateError) as refused:
        read(resources)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.fact("H.limit.routes")
def test_an_api_has_three_hundred_routes_at_most(read: Read) -> None:
    routes = "".join(SAME.replace("Same", f"R{n}").replace("/a/{b}", f"/{n}") for n in range(299))
    assert len(read(raw() + routes)[0].routes) == 300
    with pytest.raises(TemplateError, match="301 routes, at most 300"):
        read(raw() + routes + SAME.replace("/a/{b}", "/more"))


def test_names_lead_to_the_api(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(HEAD + raw())
    names = load(path, Place(), "http://127.0.0.1:1", {}).names
    assert names.attribute("Api", "ApiEndpoint") == "http://127.0.0.1:1"
    assert names.ref("Stage") == "v1"
