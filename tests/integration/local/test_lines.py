"""What a developer reads at the terminal while his functions run, and fail."""

import asyncio
import re
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from infra.local.stack import Stack
from tests.integration.local.conftest import ear

TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Globals: {Function: {Runtime: python3.13, Timeout: 1, CodeUri: code}}
Resources:
  Api:
    Type: AWS::Serverless::WebSocketApi
    Properties:
      StageName: live
      RouteSelectionExpression: $request.body.action
      Routes:
        talk: {FunctionArn: !GetAtt Talk.Arn}
        fail: {FunctionArn: !GetAtt Fail.Arn}
        linger: {FunctionArn: !GetAtt Linger.Arn}
        die: {FunctionArn: !GetAtt Die.Arn}
        missing: {FunctionArn: !GetAtt Missing.Arn}
        broken: {FunctionArn: !GetAtt Broken.Arn}
        nameless: {FunctionArn: !GetAtt Nameless.Arn}
  Talk: {Type: AWS::Serverless::Function, Properties: {Handler: app.talk}}
  Fail: {Type: AWS::Serverless::Function, Properties: {Handler: app.fail}}
  Linger: {Type: AWS::Serverless::Function, Properties: {Handler: app.linger}}
  Die: {Type: AWS::Serverless::Function, Properties: {Handler: app.die}}
  Missing: {Type: AWS::Serverless::Function, Properties: {Handler: missing.handler}}
  Broken: {Type: AWS::Serverless::Function, Properties: {Handler: broken.handler}}
  Nameless: {Type: AWS::Serverless::Function, Properties: {Handler: app.no_such}}
"""
HANDLER = """
import json
import logging
import os
import sys
import time

log = logging.getLogger("app")
log.setLevel(logging.INFO)


def talk(event, context):
    print("plain words")
    print("to stderr", file=sys.stderr)
    log.info("logged %s", "words")
    log.debug("too fine to be told")
    print(json.dumps({"level": "WARNING", "message": "structured", "who": "ann"}))
    print(json.dumps({"_aws": {"Timestamp": 1}, "Talks": 1}))
    print("request", context.aws_request_id)
    return {"statusCode": 200}


def fail(event, context):
    try:
        {}["key"]
    except KeyError as error:
        raise ValueError("it went wrong") from error


def linger(event, context):
    time.sleep(60)


def die(event, context):
    os._exit(3)
"""
START = r"^\d\d:\d\d:\d\d\.\d{3} "


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("lines")
    (folder / "code").mkdir()
    (folder / "template.yaml").write_text(TEMPLATE)
    (folder / "code/app.py").write_text(HANDLER)
    (folder / "code/broken.py").write_text("\n\ndef handler(event context):\n    pass\n")
    with Stack.start(template=folder / "template.yaml", state=folder / "state") as running:
        # Each function is loaded at the start, the last of them in vain: that is told by then.
        for _ in range(1000):
            if "no attribute 'no_such'" in running.log.read_text():
                break
            time.sleep(0.05)
        yield running


async def lines_of(stack: Stack, http: aiohttp.ClientSession, action: str) -> list[str]:
    """Return what the terminal shows of one message, when its event is over."""
    before = len(stack.log.read_text())
    async with http.ws_connect(stack.websocket_url) as socket, ear(socket):
        await socket.send_json({"action": action})
        await stack.settle_async()
        await socket.send_json({"action": "talk"})
        await stack.settle_async()
    lines = stack.log.read_text()[before:].splitlines()
    ours = [line for line in lines if " Talk[" not in line] if action != "talk" else lines
    return [line for line in ours if line]


async def test_what_a_function_prints_and_logs_has_its_name_request_and_level(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    lines = (await lines_of(stack, http, "talk"))[:5]
    texts = ["plain words", "to stderr", "INFO logged words", "WARNING structured who=ann"]
    for line, text in zip(lines, [*texts, r"request [\da-f-]{36}"], strict=True):
        assert re.search(rf"{START}Talk\[[\da-f]{{8}}\] {text}$", line), line
    tag, told = re.findall(r"\[([\da-f]{8})\] request ([\da-f]{8})", lines[4])[0]
    assert tag == told


async def test_an_exception_is_told_once_with_its_cause_and_none_of_our_frames(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    first, *rest = await lines_of(stack, http, "fail")
    assert re.search(rf"{START}Fail\[[\da-f]{{8}}\] ERROR ValueError: it went wrong$", first)
    text = "\n".join(rest)
    assert text.count("ValueError") == 1
    assert "caused by:\n    KeyError: 'key'" in text
    assert re.search(r'File ".*code/app.py", line \d+, in fail', text)
    assert "infra/local" not in text
    assert [line for line in rest if not line.startswith("    ")] == []


@pytest.mark.parametrize(
    ("action", "name", "told"),
    [
        ("linger", "Linger", "Task timed out after 1.00 seconds"),
        ("die", "Die", "the process of the function ended"),
    ],
)
async def test_what_nobody_lived_to_tell_is_told_in_one_line(
    stack: Stack, http: aiohttp.ClientSession, action: str, name: str, told: str
) -> None:
    (line,) = await lines_of(stack, http, action)
    assert re.search(rf"{START}{name}\[[\da-f]{{8}}\] ERROR {told}$", line)


@pytest.mark.parametrize(
    ("action", "name", "told"),
    [
        ("missing", "Missing", "ModuleNotFoundError: No module named 'missing'"),
        ("broken", "Broken", "SyntaxError: "),
        ("nameless", "Nameless", "AttributeError: module 'app' has no attribute 'no_such'"),
    ],
)
async def test_a_function_that_cannot_be_loaded_says_why_and_where(
    stack: Stack, http: aiohttp.ClientSession, action: str, name: str, told: str
) -> None:
    first, *rest = await lines_of(stack, http, action)
    assert re.search(rf"{START}{name} ERROR {re.escape(told)}", first)
    assert "infra/local" not in "\n".join(rest)
    if action == "broken":
        assert re.search(r'File ".*code/broken.py", line 3', rest[0])
        assert "def handler(event context):" in rest[1]


async def test_a_message_that_no_route_takes_is_told(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    (line,) = await lines_of(stack, http, "tlak")
    assert re.search(rf"{START}local WARNING no route takes '.*tlak.*', and there is no", line)


async def test_durations_are_told_to_who_asks_for_them(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "template.yaml").write_text(TEMPLATE)
    (tmp_path / "code/app.py").write_text(HANDLER)
    with Stack.start(
        template=tmp_path / "template.yaml", state=tmp_path / "state", arguments=["--verbose"]
    ) as verbose:
        async with http.ws_connect(verbose.websocket_url) as socket:
            await socket.send_json({"action": "talk"})
            async with asyncio.timeout(30):
                while "DEBUG" not in verbose.log.read_text():  # noqa: ASYNC110 - another process
                    await asyncio.sleep(0.02)
        assert re.search(
            rf"{START}Talk\[[\da-f]{{8}}\] DEBUG talk of \S+=: \d+\.\d ms$",
            verbose.log.read_text(),
            re.MULTILINE,
        )
