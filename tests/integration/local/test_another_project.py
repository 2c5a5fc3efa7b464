"""A project of another shape: plain CloudFormation, folders, layers, code in the template, no page.

Its handlers make their AWS clients as the samples of AWS do, with an address of their own.
"""

from pathlib import Path

import aiohttp
import pytest

from infra.local.stack import Stack

TEMPLATE = """
AWSTemplateFormatVersion: "2010-09-09"
Parameters: {Stage: {Type: String, Default: dev}}
Resources:
  Api:
    Type: AWS::ApiGatewayV2::Api
    Properties:
      Name: another
      ProtocolType: WEBSOCKET
      RouteSelectionExpression: $request.body.action
  Layer: {Type: AWS::Lambda::LayerVersion, Properties: {Content: layer}}
  Echo:
    Type: AWS::Lambda::Function
    Properties:
      Runtime: python3.13
      Handler: handlers/echo.handler
      Code: src
      Role: arn:aws:iam::000000000000:role/any
      Layers: [!Ref Layer]
  Door:
    Type: AWS::Lambda::Function
    Properties:
      Runtime: python3.13
      Handler: index.handler
      Role: arn:aws:iam::000000000000:role/any
      Code:
        ZipFile: |
          def handler(event, context):
              return {"statusCode": 200}
  DoorIntegration:
    Type: AWS::ApiGatewayV2::Integration
    Properties:
      ApiId: !Ref Api
      IntegrationType: AWS_PROXY
      IntegrationUri: !Sub
        - arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Arn}/invocations
        - {Arn: !GetAtt Door.Arn}
  DoorRoute:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      ApiId: !Ref Api
      RouteKey: $connect
      Target: !Join [/, [integrations, !Ref DoorIntegration]]
  EchoIntegration:
    Type: AWS::ApiGatewayV2::Integration
    Properties:
      ApiId: !Ref Api
      IntegrationType: AWS_PROXY
      IntegrationUri: !Sub
        - arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Arn}/invocations
        - {Arn: !GetAtt Echo.Arn}
  EchoRoute:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      ApiId: !Ref Api
      RouteKey: $default
      Target: !Join [/, [integrations, !Ref EchoIntegration]]
  Deployment:
    Type: AWS::ApiGatewayV2::Deployment
    DependsOn: [DoorRoute, EchoRoute]
    Properties: {ApiId: !Ref Api}
  Live:
    Type: AWS::ApiGatewayV2::Stage
    Properties: {ApiId: !Ref Api, StageName: !Ref Stage, DeploymentId: !Ref Deployment}
  Files: {Type: AWS::S3::Bucket}
"""
FILES = {
    "template.yaml": TEMPLATE,
    "layer/python/greetings.py": "HELLO = 'hello'\n",
    "src/words/__init__.py": "",
    "src/words/names.py": "WORLD = 'world'\n",
    "src/handlers/echo.py": """
import boto3
import greetings
from words.names import WORLD


def handler(event, context):
    about = event["requestContext"]
    url = f"https://{about['domainName']}/{about['stage']}"
    api = boto3.client("apigatewaymanagementapi", endpoint_url=url)
    said = f"{greetings.HELLO} {WORLD}: {event['body']}"
    api.post_to_connection(ConnectionId=about["connectionId"], Data=said.encode())
    return {"statusCode": 200}
""",
}


@pytest.mark.parametrize("arguments", [[], ["--in-process"]])
async def test_it_runs_as_it_is(
    tmp_path: Path, http: aiohttp.ClientSession, arguments: list[str]
) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    with Stack.start(
        template=tmp_path / "template.yaml",
        state=tmp_path / "state",
        layers=[tmp_path],
        parameters={"Stage": "try"},
        arguments=arguments,
    ) as stack:
        assert stack.websocket_url.endswith("/try")
        async with http.ws_connect(stack.websocket_url) as socket:
            await socket.send_str("ann")
            assert await socket.receive_str(timeout=30) == "hello world: ann"
        told = stack.log.read_text().splitlines()
    assert told == ["not served: Files (AWS::S3::Bucket)"]
