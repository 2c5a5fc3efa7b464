"""Modules imported beforehand: workers find them loaded, and never an older one than is on disk."""

from pathlib import Path

import aiohttp
import pytest

from infra.local.stack import Stack

KITCHEN = """
Transform: AWS::Serverless-2016-10-31
Resources:
  Api:
    Type: AWS::Serverless::WebSocketApi
    Properties:
      RouteSelectionExpression: $request.body.action
      StageName: live
      Routes:
        $default: { FunctionArn: !GetAtt Cook.Arn }
  Cook:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: cook
      Handler: app.handler
      Runtime: python3.13
      Timeout: 10
"""
COOK = """
import os, sys
LOADED = "salad" in sys.modules
import botocore.session, salad
api = botocore.session.get_session().create_client("apigatewaymanagementapi")

def handler(event, context):
    said = f"{salad.DRESSING} {LOADED}"
    api.post_to_connection(
        ConnectionId=event["requestContext"]["connectionId"], Data=said.encode()
    )
    return {"statusCode": 200}
"""


@pytest.fixture
def kitchen(tmp_path: Path) -> Path:
    """A project whose function uses a module of a layer."""
    project = tmp_path / "kitchen"
    for folder in ("cook", "layer"):
        (project / folder).mkdir(parents=True)
    (project / "template.yaml").write_text(KITCHEN)
    (project / "cook" / "app.py").write_text(COOK)
    (project / "layer" / "salad.py").write_text("DRESSING = 'oil'\n")
    return project


def running(kitchen: Path, *arguments: str) -> Stack:
    return Stack.start(
        template=kitchen / "template.yaml",
        state=kitchen / "state",
        layers=[kitchen / "layer"],
        arguments=["--preload", "salad", *arguments],
    )


async def served(http: aiohttp.ClientSession, stack: Stack) -> str:
    async with http.ws_connect(stack.websocket_url) as ws:
        await ws.send_str("a plate")
        return str(await ws.receive_str(timeout=10))


async def test_a_module_of_a_layer_is_there_before_the_function_is(
    kitchen: Path, http: aiohttp.ClientSession
) -> None:
    with running(kitchen) as stack:
        assert await served(http, stack) == "oil True"


async def test_a_module_of_a_layer_that_changes_is_loaded_anew_though_it_is_to_be_preloaded(
    kitchen: Path, http: aiohttp.ClientSession
) -> None:
    with running(kitchen, "--reload") as stack:
        assert await served(http, stack) == "oil False"
        (kitchen / "layer" / "salad.py").write_text("DRESSING = 'vinegar'\n")
        while (plate := await served(http, stack)) == "oil False":
            pass
        assert plate == "vinegar False"
