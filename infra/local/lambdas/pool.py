"""Invokes functions in worker processes: each takes one event at a time, as on Lambda.

Per function a few workers, made when they are needed and kept warm. A worker that dies is an
error of its event and is replaced; one that runs too long is killed.
"""

import asyncio
import json
import socket
import struct
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from infra.local.ids import uuid_text
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function
from infra.local.lambdas.invocation import Outcome, function_error, process_ended, timed_out
from infra.local.lambdas.nursery import Nursery
from infra.local.logs import report
from infra.local.metrics import Metrics

LENGTH: Final = struct.Struct("!I")
LOADING_LIMIT_S: Final = 60.0


class Link(asyncio.Protocol):
    """The gateway's end of a worker's socket: one message out, one message in."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_open = True
        self._buffer = bytearray()
        self._answer: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to write to."""
        if isinstance(transport, asyncio.WriteTransport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Put the answer together."""
        self._buffer += data
        if len(self._buffer) < LENGTH.size:
            return
        (length,) = LENGTH.unpack_from(self._buffer)
        if len(self._buffer) >= LENGTH.size + length:
            message = bytes(self._buffer[LENGTH.size : LENGTH.size + length])
            del self._buffer[: LENGTH.size + length]
            self._tell(message)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  asyncio's name
        """The worker is gone, and with it the answer."""
        self.is_open = False
        self._tell(None)

    def _tell(self, message: bytes | None) -> None:
        if not self._answer.done():
            self._answer.set_result(message)

    async def answer(self, limit_s: float) -> bytes | None:
        """Return the next message, None when the worker is gone; raises TimeoutError."""
        async with asyncio.timeout(limit_s):
            return await self._answer

    def send(self, message: bytes) -> None:
        """Hand the worker an event."""
        self._answer = asyncio.get_running_loop().create_future()
        if self._transport is None or not self.is_open:
            self._tell(None)
            return
        self._transport.write(LENGTH.pack(len(message)) + message)

    def close(self) -> None:
        """Hang up: the worker ends."""
        self.is_open = False
        if self._transport is not None:
            self._transport.close()


@dataclass(slots=True)
class _Crew:
    """The workers of one function: `size` of them, `starting` of which are not ready yet."""

    idle: list[Link] = field(default_factory=list)
    waiting: deque[asyncio.Future[Link | Outcome]] = field(default_factory=deque)
    size: int = 0
    starting: int = 0

    def enlarge(self) -> "_Crew":
        """One more is on its way, counted before it is: many may ask for it meanwhile."""
        self.size += 1
        self.starting += 1
        return self


class Pool:
    """The worker processes of all functions."""

    def __init__(self, nursery: Nursery, workers: int, metrics: Metrics) -> None:
        self._nursery = nursery
        self._most = workers
        self._metrics = metrics
        self._crews: dict[str, _Crew] = {}
        self._generations: dict[Link, int] = {}
        self._generation = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_stopping = False

    async def invoke(
        self, function: Function, event: Json, request_id: str | None = None
    ) -> Outcome:
        """Return the outcome of one event."""
        self._metrics.invocations[function.logical_id] += 1
        got = await self._worker(function)
        request = json.dumps({"id": request_id or uuid_text(), "event": event}).encode()
        outcome = got if isinstance(got, Outcome) else await self._run(function, got, request)
        if outcome.error is not None:
            self._metrics.errors[function.logical_id] += 1
            report(f"{function.logical_id}: {outcome.error.type}: {outcome.error.message}")
        return outcome

    async def warm(self, functions: list[Function]) -> None:
        """Load each function in one worker, one after the other."""
        for function in functions:
            crew = self._crew(function)
            if crew.size == 0 and not self._is_stopping:
                await self._start(function, crew.enlarge())

    async def reload(self) -> None:
        """Workers that loaded older code end when they are next free."""
        self._generation += 1
        for crew in self._crews.values():
            for link in crew.idle:
                self._discard(crew, link)
            crew.idle.clear()

    async def stop(self) -> None:
        """Hang up on every worker."""
        self._is_stopping = True
        for link in list(self._generations):
            link.close()
        for task in list(self._tasks):
            task.cancel()
        await self._nursery.stop()

    def _crew(self, function: Function) -> _Crew:
        return self._crews.setdefault(function.logical_id, _Crew())

    async def _worker(self, function: Function) -> Link | Outcome:
        crew = self._crew(function)
        while crew.idle:
            link = crew.idle.pop()
            if link.is_open:
                return link
            self._discard(crew, link)
        turn: asyncio.Future[Link | Outcome] = asyncio.get_running_loop().create_future()
        crew.waiting.append(turn)
        self._reinforce(function, crew)
        return await turn

    def _reinforce(self, function: Function, crew: _Crew) -> None:
        if len(crew.waiting) > crew.starting and crew.size < self._most:
            task = asyncio.ensure_future(self._start(function, crew.enlarge()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _start(self, function: Function, crew: _Crew) -> None:
        try:
            link = await self._linked(function)
            failed = await self._loaded(function, link)
        finally:
            crew.starting -= 1
        if failed is None:
            self._free(function, crew, link)
            return
        self._discard(crew, link)
        self._fail_next(crew, failed)

    async def _linked(self, function: Function) -> Link:
        ours, theirs = socket.socketpair()
        number = self._nursery.spawn(function, theirs)
        loop = asyncio.get_running_loop()
        _, link = await loop.create_connection(lambda: Link(number), sock=ours)
        self._generations[link] = self._generation
        return link

    async def _loaded(self, function: Function, link: Link) -> Outcome | None:
        try:
            message = await link.answer(LOADING_LIMIT_S)
        except TimeoutError:
            self._nursery.kill(link.number)
            return timed_out(function)
        if message is None:
            return process_ended()
        outcome = _outcome(message)
        return outcome if outcome.error is not None else None

    async def _run(self, function: Function, link: Link, request: bytes) -> Outcome:
        crew = self._crew(function)
        link.send(request)
        try:
            message = await link.answer(function.timeout_s)
        except TimeoutError:
            self._nursery.kill(link.number)
            self._discard(crew, link)
            self._replace(function, crew)
            return timed_out(function)
        if message is None:
            self._discard(crew, link)
            self._replace(function, crew)
            return process_ended()
        self._free(function, crew, link)
        return _outcome(message)

    def _free(self, function: Function, crew: _Crew, link: Link) -> None:
        if self._generations.get(link) != self._generation:
            self._discard(crew, link)
            self._replace(function, crew)
            return
        while crew.waiting:
            turn = crew.waiting.popleft()
            if not turn.done():
                turn.set_result(link)
                return
        crew.idle.append(link)

    def _replace(self, function: Function, crew: _Crew) -> None:
        if crew.waiting and not self._is_stopping:
            self._reinforce(function, crew)

    def _fail_next(self, crew: _Crew, failed: Outcome) -> None:
        while crew.waiting:
            turn = crew.waiting.popleft()
            if not turn.done():
                turn.set_result(failed)
                return

    def _discard(self, crew: _Crew, link: Link) -> None:
        if self._generations.pop(link, None) is not None:
            crew.size -= 1
        link.close()


def _outcome(message: bytes) -> Outcome:
    answer = json.loads(message)
    if "error" in answer:
        return Outcome(error=function_error(answer["error"]))
    return Outcome(value=answer.get("value"))
