"""A debugger stops inside a handler, at a terminal, and nobody's time runs out meanwhile."""

import asyncio
import os
import pty
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest

from infra.local.stack import ROOT

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
        say:
          FunctionArn: !GetAtt Say.Arn
          IntegrationTimeout: 500
          RouteResponseSelectionExpression: $default
        other: {FunctionArn: !GetAtt Other.Arn, RouteResponseSelectionExpression: $default}
  SayAnswer:
    Type: AWS::ApiGatewayV2::RouteResponse
    Properties: {ApiId: !Ref Api, RouteId: !Ref ApiSayRoute, RouteResponseKey: $default}
  OtherAnswer:
    Type: AWS::ApiGatewayV2::RouteResponse
    Properties: {ApiId: !Ref Api, RouteId: !Ref ApiOtherRoute, RouteResponseKey: $default}
  Say: {Type: AWS::Serverless::Function, Properties: {Handler: app.say}}
  Other: {Type: AWS::Serverless::Function, Properties: {Handler: app.other}}
"""
HANDLER = """
import json


def say(event, context):
    word = json.loads(event["body"])["word"]
    %s
    return {"statusCode": 200, "body": f"you said {word}"}


def other(event, context):
    return {"statusCode": 200, "body": "I go on"}
"""
STOPPED_AT = 'return {"statusCode": 200, "body": f"you said {word}"}'


@dataclass
class Terminal:
    """What a person at a terminal sees and types."""

    screen: int
    seen: str = ""
    _fresh: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        asyncio.get_running_loop().add_reader(self.screen, self._read)

    def _read(self) -> None:
        try:
            self.seen += os.read(self.screen, 65_536).decode(errors="replace")
        except OSError:
            asyncio.get_running_loop().remove_reader(self.screen)
        self._fresh.set()

    async def until(self, pattern: str) -> re.Match[str]:
        """Return the next place where the screen shows this; what is before it was read."""
        async with asyncio.timeout(60):
            while (found := re.search(pattern, self.seen)) is None:
                self._fresh.clear()
                await self._fresh.wait()
        self.seen = self.seen[found.end() :]
        return found

    def type(self, line: str) -> None:
        os.write(self.screen, f"{line}\n".encode())


@asynccontextmanager
async def at_a_terminal(folder: Path, *command: str) -> AsyncIterator[Terminal]:
    screen, theirs = pty.openpty()
    process = subprocess.Popen(  # noqa: ASYNC220 - it is only started
        [sys.executable, *command, "--in-process", "--port", "0", "--template", "template.yaml"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(screen)
    finally:
        process.kill()
        process.wait()
        asyncio.get_running_loop().remove_reader(screen)
        os.close(screen)


def lay_out(folder: Path, stop: str) -> Path:
    (folder / "code").mkdir()
    (folder / "template.yaml").write_text(TEMPLATE)
    (folder / "code/app.py").write_text(HANDLER % stop)
    return folder


@asynccontextmanager
async def client(
    terminal: Terminal, http: aiohttp.ClientSession
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    url = (await terminal.until(r"Serving \S+ at (http\S+)")).group(1)
    async with http.ws_connect(f"{url}/live") as socket:
        yield socket


async def look_around(terminal: Terminal, socket: aiohttp.ClientWebSocketResponse) -> None:
    """Print a variable, wait for longer than anybody may, change it, go on."""
    terminal.type("p word")
    await terminal.until(r"'hello'\r?\n.*\(Pdb\) ")
    # Function and integration would have timed out by now, and other functions go on.
    await asyncio.sleep(1.2)
    await socket.send_json({"action": "other"})
    assert await socket.receive_str(timeout=30) == "I go on"
    terminal.type("word = 'goodbye'")
    await terminal.until(r"\(Pdb\) ")
    terminal.type("c")
    assert await socket.receive_str(timeout=30) == "you said goodbye"


async def test_a_breakpoint_in_a_handler_stops_there(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    folder = lay_out(tmp_path, "breakpoint()")
    async with (
        at_a_terminal(folder, "-m", "infra.local") as terminal,
        client(terminal, http) as socket,
    ):
        for _ in range(2):
            await socket.send_json({"action": "say", "word": "hello"})
            await terminal.until(re.escape(STOPPED_AT) + r"\r?\n.*\(Pdb\) ")
            await look_around(terminal, socket)


async def test_pdb_stops_where_it_was_told_to_stop(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    folder = lay_out(tmp_path, "")
    async with at_a_terminal(folder, "-m", "pdb", "-m", "infra.local") as terminal:
        await terminal.until(r"\(Pdb\) ")
        line = (HANDLER % "").split("\n").index(f"    {STOPPED_AT}") + 1
        terminal.type(f"b code/app.py:{line}")
        await terminal.until(r"Breakpoint 1 at .*app.py:\d+\r?\n.*\(Pdb\) ")
        terminal.type("c")
        async with client(terminal, http) as socket:
            for _ in range(2):
                await socket.send_json({"action": "say", "word": "hello"})
                await terminal.until(re.escape(STOPPED_AT) + r"\r?\n.*\(Pdb\) ")
                await look_around(terminal, socket)


@pytest.mark.parametrize("ending", ["q", "raise SystemExit"])
async def test_leaving_the_debugger_is_the_end_of_the_event_and_of_nothing_else(
    tmp_path: Path, http: aiohttp.ClientSession, ending: str
) -> None:
    folder = lay_out(tmp_path, "breakpoint()" if ending == "q" else ending)
    async with (
        at_a_terminal(folder, "-m", "infra.local") as terminal,
        client(terminal, http) as socket,
    ):
        await socket.send_json({"action": "say", "word": "hello"})
        if ending == "q":
            await terminal.until(r"\(Pdb\) ")
            terminal.type("q")
        assert (await socket.receive_json(timeout=30))["message"] == "Internal server error"
        await socket.send_json({"action": "other"})
        assert await socket.receive_str(timeout=30) == "I go on"
