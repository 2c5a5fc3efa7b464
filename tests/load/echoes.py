"""Clients that time echoes: one after the other, each after its own, or at a pace come what may.

Every message is different and every answer is compared with what was said, so that a lost, doubled
or foreign echo ends the measurement.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

from aiohttp import ClientWebSocketResponse

from tests.support.client import many_sockets

OPENED_AT_ONCE = 20
PATIENCE_S = 30.0


class WrongEcho(Exception):
    """What came back is not what was said."""


@dataclass
class Took:
    """How long each echo took, and all of them together."""

    each_ms: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def per_second(self) -> float:
        """How many echoes a second."""
        return len(self.each_ms) / self.seconds


@dataclass(frozen=True)
class Line:
    """One open socket."""

    socket: ClientWebSocketResponse
    number: int
    _numbers: "count[int]" = field(default_factory=count)

    def words(self) -> str:
        """A message as an app sends it, unlike every other."""
        return json.dumps({"action": "echo", "id": f"{self.number}.{next(self._numbers)}"})

    async def hear(self) -> str:
        """The next text."""
        return await self.socket.receive_str(timeout=PATIENCE_S)

    async def echo(self) -> float:
        """Say something and hear it; the milliseconds between."""
        said = self.words()
        begun = time.perf_counter()
        await self.socket.send_str(said)
        heard = await self.hear()
        took_ms = (time.perf_counter() - begun) * 1000
        if heard != said:
            raise WrongEcho(heard)
        return took_ms


@asynccontextmanager
async def lines(url: str, number: int) -> AsyncIterator[list[Line]]:
    """That many open sockets; closed at the end."""
    async with many_sockets() as session, AsyncExitStack() as sockets:
        opening = asyncio.Semaphore(OPENED_AT_ONCE)

        async def line(which: int) -> Line:
            async with opening:
                socket = session.ws_connect(url, compress=0, max_msg_size=0)
                return Line(await sockets.enter_async_context(socket), which)

        yield list(await asyncio.gather(*map(line, range(number))))


async def each_after_its_own(crowd: list[Line], times: int) -> Took:
    """Every line says its next when it has heard its last."""
    took = Took()

    async def run(line: Line) -> None:
        for _ in range(times):
            took.each_ms.append(await line.echo())

    begun = time.perf_counter()
    await asyncio.gather(*map(run, crowd))
    took.seconds = time.perf_counter() - begun
    return took


async def at_a_pace(crowd: list[Line], per_second: int, seconds: int) -> Took:
    """So many a second on the lines in turn, whatever has come back; timed from when each is due.

    A late message is charged its delay: a system that stands still is not spared by its clients.
    """
    took, due_at = Took(), dict[str, float]()
    total = per_second * seconds

    async def listen(line: Line, expected: int) -> None:
        for _ in range(expected):
            heard = await line.hear()
            due = due_at.pop(heard, None)
            if due is None:
                raise WrongEcho(heard)
            took.each_ms.append((time.perf_counter() - due) * 1000)

    begun = time.perf_counter()
    shares = (len(range(first, total, len(crowd))) for first in range(len(crowd)))
    listening = asyncio.gather(*map(listen, crowd, shares))
    for number in range(total):
        due = begun + number / per_second
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        line = crowd[number % len(crowd)]
        said = line.words()
        due_at[said] = due
        await line.socket.send_str(said)
    await listening
    took.seconds = time.perf_counter() - begun
    return took
