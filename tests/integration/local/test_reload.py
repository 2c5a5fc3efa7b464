"""With `--reload` a running system serves what is on disk: handlers, layers, data, mended ones."""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from infra.local.stack import Stack

TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Globals: {Function: {Runtime: python3.13, Timeout: 30, CodeUri: code}}
Resources:
  Api:
    Type: AWS::Serverless::WebSocketApi
    Properties:
      StageName: live
      RouteSelectionExpression: $request.body.action
      Routes:
        say: {FunctionArn: !GetAtt Say.Arn, RouteResponseSelectionExpression: $default}
  Answer:
    Type: AWS::ApiGatewayV2::RouteResponse
    Properties: {ApiId: !Ref Api, RouteId: !Ref ApiSayRoute, RouteResponseKey: $default}
  Say: {Type: AWS::Serverless::Function, Properties: {Handler: app.say}}
"""
HANDLER = """
import json
import time
from pathlib import Path

import words

TEXT = json.loads((Path(__file__).parent / "text.json").read_text())


def say(event, context):
    wait = Path(json.loads(event["body"]).get("wait") or "/")
    while not wait.exists():
        time.sleep(0.01)
    return {"statusCode": 200, "body": f"one {words.WORD} {TEXT}"}
"""
NOTICED_S = 10.0


@dataclass
class Project:
    """A project on disk, and the system that runs it."""

    folder: Path
    stack: Stack
    read: int = 0

    def write(self, path: str, text: str) -> None:
        """Replace a file whole, as editors do."""
        target = self.folder / path
        beside = target.with_suffix(".new~")
        beside.write_text(text)
        beside.replace(target)

    def log(self) -> str:
        """Return what was logged, but for what was skipped."""
        return self.stack.log.read_text()[self.read :]

    def skip(self) -> None:
        """What was logged so far is of no interest."""
        self.read = len(self.stack.log.read_text())

    async def logged(self, text: str) -> str:
        """Return the log once it says this."""
        async with asyncio.timeout(NOTICED_S):
            while text not in self.log():  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.02)
        return self.log()


def lay_out(folder: Path) -> None:
    for name in ("code", "layer", "web"):
        (folder / name).mkdir(parents=True)
    (folder / "template.yaml").write_text(TEMPLATE)
    (folder / "code/app.py").write_text(HANDLER)
    (folder / "code/text.json").write_text('"three"')
    (folder / "layer/words.py").write_text('WORD = "two"\n')
    (folder / "web/index.html").write_text("old")


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[Project]:
    lay_out(folder)
    with Stack.start(
        template=folder / "template.yaml",
        state=folder / "state",
        static=folder / "web",
        layers=[folder / "layer", folder],
        arguments=["--reload", *arguments],
    ) as stack:
        yield Project(folder, stack)


@pytest.fixture(params=[(), ("--in-process",)], ids=["workers", "in-process"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Project]:
    """A system of the test's own."""
    with running(tmp_path / "project", *request.param) as project:
        yield project


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """One system for the tests that change nothing which matters to the next one."""
    with running(tmp_path_factory.mktemp("reload") / "project") as project:
        yield project


@pytest.fixture
async def socket(
    project: Project, http: aiohttp.ClientSession
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    async with http.ws_connect(project.stack.websocket_url) as socket:
        yield socket


async def ask(socket: aiohttp.ClientWebSocketResponse, **more: Any) -> str:  # noqa: ANN401 - JSON
    await socket.send_json({"action": "say", **more})
    return str(await socket.receive_str(timeout=30))


async def test_a_changed_handler_layer_or_data_file_is_served_from_the_next_event_on(
    project: Project, socket: aiohttp.ClientWebSocketResponse
) -> None:
    assert await ask(socket) == "one two three"
    for path, text, answer in (
        ("code/app.py", HANDLER.replace("one", "1"), "1 two three"),
        ("layer/words.py", 'WORD = "2 and more"\n', "1 2 and more three"),
        ("code/text.json", '"3"', "1 2 and more 3"),
    ):
        project.write(path, text)
        started = time.monotonic()
        await project.logged(f"{path} changed: functions are loaded anew")
        assert time.monotonic() - started < NOTICED_S
        assert await ask(socket) == answer


async def test_a_syntax_error_is_told_with_file_and_line_and_gone_when_mended(
    project: Project, socket: aiohttp.ClientWebSocketResponse
) -> None:
    assert await ask(socket) == "one two three"
    project.write("layer/words.py", "WORD = 'two'\nWORD = (\n")
    await project.logged("words.py changed")
    assert json.loads(await ask(socket))["message"] == "Internal server error"
    log = await project.logged("SyntaxError: '(' was never closed")
    assert f'File "{project.folder}/layer/words.py", line 2' in log
    assert "WORD = (" in log
    assert "infra/local" not in log.partition("SyntaxError")[2]
    project.write("layer/words.py", 'WORD = "two again"\n')
    async with asyncio.timeout(NOTICED_S):
        while (answer := await ask(socket)).startswith("{"):  # noqa: ASYNC110 - the same
            await asyncio.sleep(0.05)
    assert answer == "one two again three"


async def test_a_change_while_an_event_runs_does_not_end_it(
    project: Project, socket: aiohttp.ClientWebSocketResponse, http: aiohttp.ClientSession
) -> None:
    gate = project.folder / "state" / "gate"
    running = asyncio.create_task(ask(socket, wait=str(gate)))
    async with asyncio.timeout(30):
        while project.stack.metrics()["invocations"].get("Say", 0) < 1:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.02)
    project.write("code/app.py", HANDLER.replace("one", "1"))
    await project.logged("app.py changed")
    if is_apart(project):
        async with http.ws_connect(project.stack.websocket_url) as other:
            assert await ask(other) == "1 two three"
    gate.touch()
    assert await running == "one two three"
    assert await ask(socket) == "1 two three"


async def test_files_of_the_page_are_served_anew_and_reload_nothing(
    shared: Project, http: aiohttp.ClientSession
) -> None:
    shared.skip()
    shared.write("web/index.html", "new")
    async with http.get(shared.stack.url) as page:
        assert await page.text() == "new"
    # What follows is noticed after it: had the page been noticed, it had been told by then.
    shared.write("code/text.json", '"3"')
    log = await shared.logged("text.json changed")
    assert "index.html" not in log
    assert log.count("loaded anew") == 1


async def test_a_changed_template_is_told_to_need_a_restart(shared: Project) -> None:
    shared.skip()
    shared.write("template.yaml", TEMPLATE + "\n")
    log = await shared.logged("template.yaml has changed: stop and start again")
    assert "loaded anew" not in log


async def test_watching_costs_next_to_nothing(shared: Project) -> None:
    shared.skip()
    for n in range(500):
        (shared.folder / f"layer/module_{n}.py").touch()
    await shared.logged("and 499 more changed")
    before = processor_s(shared.stack.pid)
    started = time.monotonic()
    await asyncio.sleep(1)
    share = (processor_s(shared.stack.pid) - before) / (time.monotonic() - started)
    assert share < 0.1


def processor_s(pid: int) -> float:
    """Return how much processor time a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_apart(project: Project) -> bool:
    """Say whether events run in processes of their own."""
    return "in-process" not in Path(f"/proc/{project.stack.pid}/cmdline").read_text()
