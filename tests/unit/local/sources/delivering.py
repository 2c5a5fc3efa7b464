"""A queue, its mapping and its worker, on a clock of the test's own."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from infra.local.cloudformation.intrinsics import Place
from infra.local.faults import Chance, Faults
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function
from infra.local.lambdas.invocation import FunctionError, Outcome
from infra.local.metrics import Metrics
from infra.local.sources.deliveries import Deliveries, Tools
from infra.local.sources.messages import Outgoing
from infra.local.sources.queue_sources import QueueSource
from infra.local.sources.queues import Queues
from infra.local.timing.agenda import Agenda
from infra.local.timing.clock import TestClock
from infra.local.timing.quiet import Quiet
from tests.unit.local.sources.conftest import ARN, START, spec

FUNCTION = Function("F", "f", "arn:f", "app.f", Path(), 3, 128, {})
DONE = Outcome()
FAILED = Outcome(error=FunctionError("ValueError", "x"))


class Worker:
    """Notes its batches and when they came; answers at once, or when it is let go."""

    def __init__(self, clock: TestClock) -> None:
        self._clock = clock
        self.batches: list[tuple[float, list[str]]] = []
        self.events: list[Any] = []
        self.answer: Callable[[list[dict[str, Any]]], Outcome] = lambda _: DONE
        self.gate = asyncio.Event()
        self.gate.set()

    async def invoke(
        self, function: Function, event: Json, request_id: str | None = None
    ) -> Outcome:
        records = event["Records"]
        self.events.append(event)
        self.batches.append((self.seconds(), [one["body"] for one in records]))
        await self.gate.wait()
        return self.answer(records)

    def seconds(self) -> float:
        return (self._clock.now() - START) / 1000

    async def warm(self, functions: list[Function]) -> None: ...
    async def reload(self) -> None: ...
    async def stop(self) -> None: ...


class Bench:
    """A queue, its mapping, and a worker on a clock of the test's own."""

    def __init__(self, path: Path, **settings: Any) -> None:  # noqa: ANN401 - of queue and mapping
        self.clock, self.quiet = TestClock(path / "clock", START), Quiet()
        self.agenda, self.worker = Agenda(self.clock, self.quiet), Worker(self.clock)
        mapping: dict[str, Any] = {
            "batch_size": 10,
            "reports_failures": True,
            "concurrency": 5,
            "window_s": 0,
        }
        mapping |= {name: settings.pop(name) for name in set(settings) & set(mapping)}
        name = "work.fifo" if settings.get("is_fifo") else "work"
        dead = "dead.fifo" if settings.get("is_fifo") else "dead"
        is_fifo = bool(settings.get("is_fifo"))
        settings.setdefault("dead_letters", ARN + dead)
        queues = Queues([spec(name, **settings), spec(dead, is_fifo=is_fifo)], self.clock)
        self.queue, self.dead = queues.by_name[name], queues.by_name[dead]
        self.chance = Chance(Faults(queue_order="kept"))
        tools = Tools(self.agenda, self.quiet, self.worker, Metrics(), Place(), self.chance)
        Deliveries(QueueSource(ARN + name, FUNCTION, **mapping), self.queue, tools)

    def send(self, *bodies: str, group: str | None = None) -> None:
        for body in bodies:
            self.queue.send(Outgoing(body, group_id=group))

    async def advance(self, seconds: float) -> None:
        await self.agenda.advance(self.clock, round(seconds * 1000))

    @property
    def batches(self) -> list[tuple[float, list[str]]]:
        return self.worker.batches


def names(*bodies: str) -> Callable[[list[dict[str, Any]]], Outcome]:
    """Return an answer that names these as failed."""

    def answer(records: list[dict[str, Any]]) -> Outcome:
        failed = [one["messageId"] for one in records if one["body"] in bodies]
        return Outcome({"batchItemFailures": [{"itemIdentifier": id_} for id_ in failed]})

    return answer
