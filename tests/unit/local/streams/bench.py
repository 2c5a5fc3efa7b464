"""A stream, a function that answers as told, and the test clock, for tests of deliveries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from infra.local.cloudformation.intrinsics import Place
from infra.local.faults import Chance, Faults
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function
from infra.local.lambdas.invocation import FunctionError, Outcome
from infra.local.metrics import Metrics
from infra.local.sources.deliveries import Tools
from infra.local.streams.delivery import StreamDelivery
from infra.local.streams.mapping import StreamSource
from infra.local.streams.streams import Read, Streams
from infra.local.timing.agenda import Agenda
from infra.local.timing.clock import TestClock
from infra.local.timing.quiet import Quiet

START = 1_800_000_000_000
STREAM = "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2025-01-01T00:00:00.000"
FUNCTION = Function("F", "f", "arn:f", "app.f", Path(), 3, 128, {})
ERROR = Outcome(error=FunctionError("ValueError", "x"))


class FakeLog:
    """A stream kept in memory: `write` adds a change, `read` gives what is new."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.reads = 0
        self.is_closed = False
        self.is_broken = False
        self._given = 0

    def write(self, item: str, number: int = 0, **more: Any) -> None:  # noqa: ANN401 - DynamoDB JSON
        """Item `item`, e.g. `a/1` of partition `a`, now holds `number`."""
        partition, _, sort = item.partition("/")
        keys = {"id": {"S": partition}, "sort": {"S": sort}}
        self.records.append(
            {
                "eventID": f"0-{len(self.records)}",
                "eventName": "MODIFY",
                "dynamodb": {
                    "ApproximateCreationDateTime": START // 1000,
                    "Keys": keys,
                    "NewImage": {**keys, "n": {"N": str(number)}, **more},
                    "SequenceNumber": str(len(self.records) + 1),
                    "StreamViewType": "NEW_IMAGE",
                },
            }
        )

    async def read(self) -> list[Mapping[str, Any]]:
        self.reads += 1
        if self.is_broken:
            raise aiohttp.ClientError("gone")
        new: list[Mapping[str, Any]] = list(self.records[self._given :])
        self._given = len(self.records)
        return new

    async def close(self) -> None:
        self.is_closed = True


Told = list[str]


@dataclass
class Answering:
    """Notes what it is invoked with, e.g. `a1` for item `a` holding 1, and answers as told."""

    answer: Callable[[Told], Outcome] = lambda _: Outcome()
    batches: list[Told] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)

    async def invoke(
        self, function: Function, event: Json, request_id: str | None = None
    ) -> Outcome:
        told = [_told(record["dynamodb"]) for record in event["Records"]]
        self.events.append(event)
        self.batches.append(told)
        return self.answer(told)

    async def warm(self, functions: list[Function]) -> None: ...
    async def reload(self) -> None: ...
    async def stop(self) -> None: ...


class Bench:
    """One stream with one function, or with as many as there are sources."""

    def __init__(self, path: Path, *sources: StreamSource, faults: Faults | None = None) -> None:
        self.path = path
        self.clock = TestClock(path / "clock", START)
        self.quiet = Quiet()
        self.agenda = Agenda(self.clock, self.quiet)
        self.function = Answering()
        self.chance = Chance(faults or Faults())
        self.tools = Tools(self.agenda, self.quiet, self.function, Metrics(), Place(), self.chance)
        self.log = FakeLog()
        self.given_up: list[str] = []
        deliveries = [StreamDelivery(one, self.tools, self.given_up.append) for one in sources]
        self.streams = Streams(self.tools, [Read("t", self.log, deliveries)] if deliveries else [])

    async def start(self) -> "Bench":
        await self.streams.begin(self.path / "streams.json")
        self.streams.start()
        return self

    async def stop(self) -> None:
        await self.streams.stop()
        await self.streams.save(self.path / "streams.json")

    async def settle(self) -> list[Told]:
        """Return what was handed over until all is quiet, and forget it."""
        await self.quiet.settle()
        return self.taken()

    async def advance(self, seconds: float) -> list[Told]:
        """Return what was handed over in so many seconds."""
        await self.agenda.advance(self.clock, round(seconds * 1000))
        return self.taken()

    def taken(self) -> list[Told]:
        taken, self.function.batches = self.function.batches, []
        return taken


def source(name: str = "M", **more: Any) -> StreamSource:  # noqa: ANN401 - fields of many types
    return StreamSource(name, STREAM, "t", FUNCTION, **more)


def _told(data: Mapping[str, Any]) -> str:
    return f"{data['Keys']['id']['S']}{data['NewImage']['n']['N']}"
