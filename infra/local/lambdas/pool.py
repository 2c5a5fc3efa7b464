"""Invokes functions in worker processes: each takes one event at a time, as on Lambda.

Per function a few workers, made when they are needed and kept warm. A worker that dies is an
error of its event and is replaced; one that runs too long is killed. Between events a worker is
frozen; how long a cold one takes and when a warm one is let go are switches.
"""

import asyncio
import json
import socket
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from infra.local.faults import Chance
from infra.local.ids import uuid_text
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function
from infra.local.lambdas.invocation import (
    TOLD_BY_NOBODY,
    Outcome,
    function_error,
    process_ended,
    timed_out,
)
from infra.local.lambdas.link import Link
from infra.local.lambdas.nursery import Nursery
from infra.local.lambdas.occasions import occasion
from infra.local.logs import Elapsed, note
from infra.local.metrics import Metrics
from infra.local.timing.quiet import Quiet

LOADING_LIMIT_S: Final = 60.0


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


@dataclass(frozen=True, slots=True)
class Around:
    """What a pool needs of the system around it."""

    metrics: Metrics
    quiet: Quiet
    chance: Chance


class Pool:
    """The worker processes of all functions."""

    def __init__(self, nursery: Nursery, workers: int, around: Around) -> None:
        self._nursery = nursery
        self._most = workers
        self._metrics, self._quiet, self._chance = around.metrics, around.quiet, around.chance
        self._crews: dict[str, _Crew] = {}
        self._links: set[Link] = set()
        self._generation = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_stopping = False

    async def invoke(
        self, function: Function, event: Json, request_id: str | None = None
    ) -> Outcome:
        """Return the outcome of one event; in flight until then, whoever still waits for it."""
        with self._quiet.busy():
            return await self._invoke(function, event, request_id or uuid_text())

    async def _invoke(self, function: Function, event: Json, request_id: str) -> Outcome:
        self._metrics.invocations[function.logical_id] += 1
        got = await self._worker(function)
        request = json.dumps({"id": request_id, "event": event}).encode()
        with Elapsed(function.logical_id, lambda: occasion(event), request_id):
            outcome = got if isinstance(got, Outcome) else await self._run(function, got, request)
        if outcome.error is not None:
            self._metrics.errors[function.logical_id] += 1
            if outcome.error.type in TOLD_BY_NOBODY:
                note(function.logical_id, outcome.error.message, "ERROR", request_id)
        return outcome

    async def warm(self, functions: list[Function]) -> None:
        """Load each function in one worker, one after the other."""
        for function in functions:
            crew = self._crew(function)
            if crew.size == 0 and not self._is_stopping:
                # A stop ends the warming up, not a worker for whom an event may wait by now.
                await asyncio.shield(self._begin(function, crew))

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
        for link in list(self._links):
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
            self._begin(function, crew)

    def _begin(self, function: Function, crew: _Crew) -> asyncio.Task[None]:
        task = asyncio.ensure_future(self._start(function, crew.enlarge()))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _start(self, function: Function, crew: _Crew) -> None:
        try:
            link = await self._linked(function)
        except OSError as error:
            # The zygote has just ended: whoever waits is told, and the next one starts another.
            note(function.logical_id, f"no worker could be made: {error}", "ERROR")
            crew.starting -= 1
            crew.size -= 1
            self._fail_next(crew, process_ended())
            return
        try:
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
        try:
            number = self._nursery.spawn(function, theirs)
        except OSError:
            ours.close()
            raise
        loop = asyncio.get_running_loop()
        generation = self._generation
        _, link = await loop.create_connection(lambda: Link(number, generation), sock=ours)
        self._links.add(link)
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
        if outcome.error is not None:
            return outcome
        link.is_process(int(outcome.value))
        return None

    async def _run(self, function: Function, link: Link, request: bytes) -> Outcome:
        crew, faults = self._crew(function), self._chance.faults
        if not link.events and faults.cold_start_ms:
            self._chance.counts["coldStartMs"] += 1
            await asyncio.sleep(faults.cold_start_ms / 1000)
        link.send(request)
        try:
            with self._perhaps_killed(link):
                message = await link.answer(function.timeout_s)
        except TimeoutError:
            self._nursery.kill(link.number)
            self._lose(function, link)
            return timed_out(function)
        if message is None or link.is_killed:
            self._lose(function, link)
        else:
            self._free(function, crew, link)
        return process_ended() if message is None else _outcome(message)

    @contextmanager
    def _perhaps_killed(self, link: Link) -> Iterator[None]:
        """Let the process be killed in a while, unless it has answered before; mostly not."""
        after_ms = self._chance.killed_after_ms()
        if after_ms is None:
            yield
            return
        killing = asyncio.get_running_loop().call_later(after_ms / 1000, self._kill, link)
        try:
            yield
        finally:
            killing.cancel()

    def _kill(self, link: Link) -> None:
        self._chance.counts["killed"] += 1
        link.is_killed = True
        self._nursery.kill(link.number)

    def _lose(self, function: Function, link: Link) -> None:
        """The process of a worker has ended, or is about to."""
        crew = self._crew(function)
        self._discard(crew, link)
        self._replace(function, crew)

    def _free(self, function: Function, crew: _Crew, link: Link) -> None:
        if self._is_spent(link):
            self._discard(crew, link)
            self._replace(function, crew)
            return
        while crew.waiting:
            turn = crew.waiting.popleft()
            if not turn.done():
                turn.set_result(link)
                return
        crew.idle.append(link)
        if self._chance.faults.freeze and link.freeze():
            self._chance.counts["freeze"] += 1

    def _is_spent(self, link: Link) -> bool:
        if link.generation != self._generation:
            return True
        if not 0 < self._chance.faults.recycle_after <= link.events:
            return False
        self._chance.counts["recycleAfter"] += 1
        return True

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
        if link in self._links:
            self._links.discard(link)
            crew.size -= 1
        link.close()


def _outcome(message: bytes) -> Outcome:
    answer = json.loads(message)
    if "error" in answer:
        return Outcome(error=function_error(answer["error"]))
    return Outcome(value=answer.get("value"))
