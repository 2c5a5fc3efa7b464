"""Templates of WebSocket APIs for tests, as short as they can be, and how they are read."""

from pathlib import Path

from infra.local.cloudformation.intrinsics import Place
from infra.local.cloudformation.template import Template, load
from infra.local.lambdas.functions import read_functions
from infra.local.websocket.routes import Api, read_apis

URI = (
    '!Sub "arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/'
    '${Code.Arn}/invocations"'
)
PLAIN = f"""
Resources:
  Code:
    Type: AWS::Lambda::Function
    Properties: {{Code: code, Handler: app.f, Runtime: python3.13, Timeout: 7}}
  Api:
    Type: AWS::ApiGatewayV2::Api
    Properties: {{ProtocolType: WEBSOCKET, RouteSelectionExpression: $request.body.do}}
  Stage:
    Type: AWS::ApiGatewayV2::Stage
    Properties: {{ApiId: !Ref Api, StageName: v1}}
  Call:
    Type: AWS::ApiGatewayV2::Integration
    Properties: {{ApiId: !Ref Api, IntegrationType: AWS_PROXY, IntegrationUri: {URI}}}
  Connect:
    Type: AWS::ApiGatewayV2::Route
    Properties: {{ApiId: !Ref Api, RouteKey: $connect, Target: !Sub "integrations/${{Call}}"}}
  One:
    Type: AWS::ApiGatewayV2::Route
    Properties: {{ApiId: !Ref Api, RouteKey: one, Target: !Sub "integrations/${{Call}}"}}
"""
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
      Routes:
        $connect: {FunctionArn: !GetAtt F.Arn}
        $default: {FunctionArn: !GetAtt F.Arn}
        go: {FunctionArn: !GetAtt F.Arn}
"""


def plain(*resources: str, **changes: str) -> str:
    """Return the plain template with more resources, and with properties added to some.

    `Connect="ApiKeyRequired: true"` adds that to the resource `Connect`.
    """
    text = PLAIN
    for logical_id, more in changes.items():
        head, found, tail = text.partition(f"  {logical_id}:\n")
        assert found, logical_id
        text = head + found + tail.replace("Properties: {", f"Properties: {{{more}, ", 1)
    return text + "".join(resources)


def sam(properties: str = "", **routes: str) -> str:
    """Return the template for SAM with more properties, and with more said of some routes."""
    text = SAM
    for route, more in routes.items():
        key = {"connect": "$connect", "default": "$default"}.get(route, route)
        before = f"{key}: {{FunctionArn: !GetAtt F.Arn"
        assert before in text, key
        text = text.replace(before, f"{before}, {more}", 1)
    return text.replace("    Properties:\n", f"    Properties:\n{properties}", 1)


def loaded(folder: Path, text: str) -> Template:
    """Return the template, after the transform."""
    (folder / "code").mkdir(exist_ok=True)
    (folder / "t.yaml").write_text(text)
    return load(folder / "t.yaml", Place(), "http://127.0.0.1:1", {})


def read(folder: Path, text: str) -> dict[str, Api]:
    """Return the APIs of the template by stage; raises TemplateError for what is refused."""
    template = loaded(folder, text)
    return read_apis(template, read_functions(template))
