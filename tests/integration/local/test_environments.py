"""What functions keep between events, when their processes begin and end, and what is in flight."""

import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from infra.local.stack import Stack
from tests.integration.local.conftest import LOOSE, AwsClient, ear
from tests.integration.local.test_life import descendants, wait_for_end

PATIENCE_S = 20.0
# Long enough for a thread that hums every 2 ms to be heard, were it not frozen.
WHILE_S = 0.3
Socket = aiohttp.ClientWebSocketResponse


@pytest.fixture
def stack(loose: Stack) -> Stack:
    """The system with its switches as at the start."""
    loose.set_faults()
    return loose


@pytest.mark.fact("C.lambda.frozen")
async def test_what_runs_in_the_background_stands_still_between_events_and_goes_on_then(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(stack.websocket_url) as socket:
        hummed = await hum(socket)
        await talk_for_a_while(socket)
        again = await hum(socket)
    assert again["pid"] == hummed["pid"]
    assert again["silence"] > WHILE_S * 0.9
    assert stack.metrics()["faults"]["freeze"] > 0


async def test_freezing_can_be_switched_off(stack: Stack, http: aiohttp.ClientSession) -> None:
    stack.set_faults(freeze=False)
    async with http.ws_connect(stack.websocket_url) as socket:
        await hum(socket)
        await talk_for_a_while(socket)
        again = await hum(socket)
        assert again["silence"] < WHILE_S * 0.9
        assert state_of(again["pid"]) != "T"


async def test_a_frozen_worker_is_a_stopped_process(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(stack.websocket_url) as socket:
        becomes((await hum(socket))["pid"], "T")


async def test_frozen_workers_end_with_the_process_they_were_forked_from(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    """They would not notice that their sockets have ended; and new ones are made."""
    async with http.ws_connect(stack.websocket_url) as socket:
        before = await say(socket)
        becomes(before, "T")
        os.kill(parent_of(before), signal.SIGKILL)
        wait_for_end(before)
        heard = await say(socket)
        while heard is None:  # the end may be noticed in the middle of an event
            heard = await say(socket)
    assert heard != before


async def test_frozen_workers_end_with_the_gateway(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    lonely = Stack.start(template=LOOSE, state=tmp_path)
    async with http.ws_connect(lonely.websocket_url) as socket:
        pid = await say(socket)
        becomes(pid, "T")
        children = descendants(lonely.pid)
        assert pid in children
        os.kill(lonely.pid, signal.SIGKILL)
        for child in children:
            wait_for_end(child)
    with pytest.raises(Exception, match="ended with status"):
        lonely.stop()


async def test_a_frozen_worker_ends_when_its_code_has_changed(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    project = tmp_path / "project"
    shutil.copytree(LOOSE.parent / "loose", project / "loose")
    shutil.copy(LOOSE, project)
    reloading = Stack.start(
        template=project / "loose.yaml", state=tmp_path / "state", arguments=["--reload"]
    )
    with reloading:
        async with http.ws_connect(reloading.websocket_url) as socket:
            before = await say(socket)
            becomes(before, "T")
            (project / "loose" / "app.py").touch()
            wait_for_end(before)
            assert await say(socket) != before


@pytest.mark.fact("C.lambda.ended")
@pytest.mark.parametrize(("after", "processes"), [(0, 1), (1, 6), (2, 3)])
async def test_a_worker_is_let_go_after_so_many_events(
    stack: Stack, http: aiohttp.ClientSession, after: int, processes: int
) -> None:
    async with http.ws_connect(stack.websocket_url) as socket:
        await begin_anew(stack, socket)
        stack.set_faults(recycle_after=after)
        pids = []
        async with ear(socket) as heard:
            for _ in range(6):
                await socket.send_json({"action": "say", "texts": ["x"]})
                await stack.settle_async()
        pids = [one["pid"] for one in heard]
    assert len(pids) == 6
    assert len(set(pids)) == processes


@pytest.mark.fact("C.lambda.one-event")
async def test_two_events_at_the_same_time_are_handled_by_two_workers(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(stack.websocket_url) as socket:
        for _ in range(2):
            await socket.send_json({"action": "say", "texts": ["x"], "after": 0.5})
        heard = [await socket.receive_json(timeout=PATIENCE_S) for _ in range(2)]
    assert len({one["pid"] for one in heard}) == 2


@pytest.mark.fact("C.lambda.cold")
async def test_the_first_event_of_a_worker_takes_longer(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(stack.websocket_url) as socket:
        await begin_anew(stack, socket)
        stack.set_faults(cold_start_ms=400)
        cold = await timed(socket)
        warm = min([await timed(socket) for _ in range(5)])
    assert cold >= 0.4
    assert warm < 0.4
    assert stack.metrics()["faults"]["coldStartMs"] >= 1


@pytest.mark.fact("C.lambda.goes-on")
async def test_what_nobody_waits_for_any_more_is_still_in_flight(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    async with http.ws_connect(stack.websocket_url) as socket:
        await say(socket)
        await socket.send_json({"action": "hasty", "after": 1.0, "note": "hasty"})
        told = await socket.receive_json(timeout=PATIENCE_S)
        assert told["message"] == "Endpoint request timed out"
        assert stack.metrics()["inFlight"] > 0
        async with ear(socket):
            await stack.settle_async()
    found = aws("dynamodb").get_item(
        TableName=stack.table_name("Ended"), Key={"id": {"S": "hasty"}}
    )
    assert found["Item"]["id"]["S"] == "hasty"


async def test_what_never_returns_is_waited_for_until_its_own_timeout_ends_it(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(stack.websocket_url) as socket:
        await socket.send_json({"action": "hasty", "after": 60.0})
        await socket.receive_json(timeout=PATIENCE_S)
        began = time.monotonic()
        async with ear(socket):
            await stack.settle_async()
        assert time.monotonic() - began < PATIENCE_S


async def test_in_process_nothing_is_frozen_and_asking_for_it_is_refused(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    with Stack.start(template=LOOSE, state=tmp_path, arguments=["--in-process"]) as inside:
        assert inside.control("GET", "faults")["freeze"] is False
        with pytest.raises(Exception, match="leave out --in-process"):
            inside.set_faults(freeze=True)
        async with http.ws_connect(inside.websocket_url) as socket:
            assert await say(socket) == inside.pid


async def say(socket: Socket, after: float = 0.0) -> Any:  # noqa: ANN401  a pid, or None
    await socket.send_json({"action": "say", "texts": ["x"], "after": after})
    return (await socket.receive_json(timeout=PATIENCE_S)).get("pid")


async def hum(socket: Socket) -> dict[str, Any]:
    await socket.send_json({"action": "hum"})
    return dict(await socket.receive_json(timeout=PATIENCE_S))


async def timed(socket: Socket) -> float:
    began = time.monotonic()
    await say(socket)
    return time.monotonic() - began


async def talk_for_a_while(socket: Socket) -> None:
    """Real time passes, in which another function is busy."""
    began = time.monotonic()
    while time.monotonic() - began < WHILE_S:
        await say(socket)


async def begin_anew(stack: Stack, socket: Socket) -> None:
    """The workers that there were, at most four, have ended."""
    stack.set_faults(recycle_after=1)
    async with ear(socket):
        for _ in range(4):
            await socket.send_json({"action": "say"})
            await stack.settle_async()


def becomes(pid: int, state: str) -> None:
    """Its process is found in that state; it gets there by itself."""
    began = time.monotonic()
    while state_of(pid) != state:
        assert time.monotonic() - began < PATIENCE_S
        os.sched_yield()


def state_of(pid: int) -> str:
    return stat_of(pid)[0]


def parent_of(pid: int) -> int:
    return int(stat_of(pid)[1])


def stat_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
