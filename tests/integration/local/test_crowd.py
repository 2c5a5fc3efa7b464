"""Many at once: no message is lost, doubled or given to another, and whoever is idle stays."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import pytest

from infra.local.stack import ROOT, Stack
from tests.integration.local.test_life import descendants

ECHO = ROOT / "tests" / "load" / "echo" / "template.yaml"
MINUTE_MS = 60_000
MANY = 200
IDLE = 1_000
EACH = 3
WORKERS = 4
OPENED_AT_ONCE = 50


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack.start(
        template=ECHO,
        state=tmp_path_factory.mktemp("echo"),
        test_clock=True,
        arguments=[
            *("--workers", str(WORKERS)),
            *("--limit", f"new-connections-per-second={IDLE + MANY}"),
        ],
    ) as running:
        yield running


@asynccontextmanager
async def crowd(stack: Stack, number: int) -> AsyncIterator[list[aiohttp.ClientWebSocketResponse]]:
    """That many open connections."""
    opening = asyncio.Semaphore(OPENED_AT_ONCE)
    async with AsyncExitStack() as sockets:
        connector = aiohttp.TCPConnector(limit=0)
        session = await sockets.enter_async_context(aiohttp.ClientSession(connector=connector))

        async def connected(_: int) -> aiohttp.ClientWebSocketResponse:
            async with opening:
                return await sockets.enter_async_context(session.ws_connect(stack.websocket_url))

        yield list(await asyncio.gather(*map(connected, range(number))))


async def test_each_of_many_who_speak_at_once_hears_his_own_words_once(stack: Stack) -> None:
    before = stack.metrics()
    async with crowd(stack, MANY) as sockets:

        async def speak(number: int) -> None:
            said = [f"{number}: {word}" for word in range(EACH)]
            for text in said:
                await sockets[number].send_str(text)
            heard = [await sockets[number].receive_str(timeout=30) for _ in said]
            # Handled side by side, so in any order.
            assert Counter(heard) == Counter(said)

        await asyncio.gather(*map(speak, range(MANY)))
        listening = [asyncio.ensure_future(socket.receive()) for socket in sockets]
        await stack.settle_async()
        assert not [one for one in listening if one.done()]
        for one in listening:
            one.cancel()
        await asyncio.gather(*listening, return_exceptions=True)
    after = stack.metrics()
    assert after["messages"] - before["messages"] == MANY * EACH
    assert after["posts"] - before["posts"] == MANY * EACH
    assert invocations(after) - invocations(before) == MANY * (EACH + len(["$connect"]))
    assert after["errors"] == {}


def test_no_more_workers_are_made_than_asked_for_however_many_come_at_once(stack: Stack) -> None:
    assert len(descendants(stack.pid)) <= len(["DynamoDB", "zygote"]) + WORKERS


async def test_a_thousand_idle_connections_stay_nine_minutes_and_are_closed_after_ten(
    stack: Stack,
) -> None:
    async with crowd(stack, IDLE) as sockets:
        listening = [asyncio.ensure_future(socket.receive(timeout=60)) for socket in sockets]
        await stack.advance_async(9 * MINUTE_MS)
        assert len(stack.connections()) == IDLE
        assert not [one for one in listening if one.done()]
        await stack.advance_async(MINUTE_MS)
        codes = Counter(one.data for one in await asyncio.gather(*listening))
        assert codes == {1001: IDLE}
        assert stack.connections() == []


def invocations(metrics: dict[str, dict[str, int]]) -> int:
    return metrics["invocations"].get("EchoFunction", 0)
