"""The system as a program: it starts, says where it is, stops cleanly, keeps its state."""

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

from infra.local.stack import ROOT, Stack, StackError
from tests.integration.local.conftest import CHAT, aws_client

ENDING_LIMIT_S = 20.0
RUN = [sys.executable, "-m", "infra.local"]


async def test_state_and_delayed_messages_survive_a_clean_restart(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    with Stack.start(template=CHAT, state=tmp_path, test_clock=True) as first:
        async with http.ws_connect(f"{first.websocket_url}?name=ann") as ws:
            connection_id = ws._response.headers["X-Local-Connection-Id"]
        aws_client(first, "sqs").send_message(
            QueueUrl=first.queue_url("Later"), MessageBody="{}", DelaySeconds=600
        )
        await first.advance_async(500_000)
        stopped_at = first.now()
    with Stack.start(template=CHAT, state=tmp_path, test_clock=True) as second:
        assert second.now() == stopped_at
        found = aws_client(second, "dynamodb").get_item(
            TableName=second.table_name("People"), Key={"id": {"S": connection_id}}
        )
        assert found["Item"]["name"] == {"S": "ann"}
        await second.advance_async(99_999)
        assert second.metrics()["deliveries"] == 0
        await second.advance_async(1)
        assert second.metrics()["deliveries"] == 1


@pytest.mark.fact("A5.close.1012", "A3.disconnect.every-end")
async def test_a_clean_stop_tells_clients_and_runs_disconnect(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    with Stack.start(template=CHAT, state=tmp_path) as first:
        ws = await http.ws_connect(f"{first.websocket_url}?name=ann")
        connection_id = ws._response.headers["X-Local-Connection-Id"]
        os.kill(first.pid, signal.SIGTERM)
        received = await ws.receive(timeout=5)
        assert (received.type, received.data) == (aiohttp.WSMsgType.CLOSE, 1012)
        await ws.close()
    with Stack.start(template=CHAT, state=tmp_path) as second:
        found = aws_client(second, "dynamodb").get_item(
            TableName=second.table_name("People"), Key={"id": {"S": connection_id}}
        )
        assert '"disconnectStatusCode": 1012' in found["Item"]["gone"]["S"]


async def test_on_the_systems_own_clock_a_delay_is_real(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    with Stack.start(template=CHAT, state=tmp_path) as stack:
        async with http.ws_connect(f"{stack.websocket_url}?name=ann") as ws:
            await ws.send_json({"action": "later", "text": "ding", "seconds": 1})
            assert (await ws.receive_json(timeout=10))["rang"] == "ding"
        with pytest.raises(StackError, match="--test-clock"):
            stack.advance(1)


async def test_handlers_may_run_in_the_gateways_own_process(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    with Stack.start(
        template=CHAT, state=tmp_path, test_clock=True, arguments=["--in-process"]
    ) as stack:
        async with http.ws_connect(f"{stack.websocket_url}?name=ann") as ws:
            await stack.advance_async(5000)
            await ws.send_json({"action": "say", "text": "hello"})
            heard = await ws.receive_json(timeout=10)
            assert (heard["said"], heard["pid"]) == ("hello", stack.pid)
            assert heard["time"] == stack.now()
            await ws.send_json({"action": "odd", "do": "raise"})
            assert (await ws.receive_json(timeout=10))["message"] == "Internal server error"


async def test_a_changed_handler_is_loaded_anew(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    chat = tmp_path / "project"
    shutil.copytree(CHAT.parent / "chat", chat / "chat")
    (chat / "chat.yaml").write_text(CHAT.read_text())
    source = (chat / "chat" / "app.py").read_text()
    with Stack.start(
        template=chat / "chat.yaml", state=tmp_path / "state", arguments=["--reload"]
    ) as stack:
        async with http.ws_connect(f"{stack.websocket_url}?name=ann") as ws:
            await ws.send_json({"action": "say", "text": "x"})
            assert "said" in await ws.receive_json(timeout=10)
            (chat / "chat" / "app.py").write_text(source.replace('"said"', '"spoken"'))
            heard: dict[str, object] = {}
            while "spoken" not in heard:
                await ws.send_json({"action": "say", "text": "x"})
                heard = await ws.receive_json(timeout=10)


def test_a_taken_port_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = run("--port", port, "--template", str(CHAT), "--state", str(tmp_path))
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"Port {port} is taken")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("template", "told"),
    [
        (None, "There is no template"),
        ("Resources: [", "is not YAML"),
        (
            "Resources: {Q: {Type: AWS::SQS::Queue, Properties: {QueueName: !Ref N}}}",
            "N is neither",
        ),
        ("Parameters: {P: {Type: String}}\nResources: {Q: {Type: AWS::SQS::Queue}}", "--param P="),
    ],
)
def test_what_is_wrong_with_a_template_is_told_in_one_line(
    tmp_path: Path, template: str | None, told: str
) -> None:
    path = tmp_path / "t.yaml"
    if template is not None:
        path.write_text(template)
    ended = run("--port", "0", "--template", str(path), "--state", str(tmp_path / "state"))
    assert ended.returncode == 2
    assert told in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


async def test_nothing_is_left_behind_when_the_gateway_is_killed(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    stack = Stack.start(template=CHAT, state=tmp_path)
    # Whoever is connected has been let in by two workers; the others come in the background.
    async with http.ws_connect(f"{stack.websocket_url}?name=ann"):
        children = descendants(stack.pid)
        assert len(children) >= len(["tables", "zygote", "doorman", "coming"])
        os.kill(stack.pid, signal.SIGKILL)
    with pytest.raises(StackError):
        stack.stop()
    for child in children:
        wait_for_end(child)


def test_without_its_tables_it_ends_and_says_so_in_one_line(tmp_path: Path) -> None:
    stack = Stack.start(template=CHAT, state=tmp_path)
    tables = next(pid for pid in descendants(stack.pid) if "ministack" in command_of(pid))
    os.kill(tables, signal.SIGKILL)
    wait_for_end(stack.pid)
    with pytest.raises(StackError, match="ended with status 2"):
        stack.stop()
    told = stack.log.read_text().splitlines()
    assert "MiniStack ended with status -9" in told[0]
    assert "Traceback" not in "".join(told)


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*RUN, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


def descendants(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout
    parents = {int(line.split()[0]): int(line.split()[1]) for line in listed.splitlines()}
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def wait_for_end(pid: int) -> None:
    """Return when a process is gone, whoever its parent is."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ended, _, _ = select.select([descriptor], [], [], ENDING_LIMIT_S)
    finally:
        os.close(descriptor)
    assert ended
