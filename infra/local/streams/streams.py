"""All streams that functions read: looked at four times a second, and whenever quiet is asked for.

Knows where a reader begins, and keeps over a stop what was not handed over yet. Without a mapping
from a stream nothing is ever called.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

import aiohttp

from infra.local.dynamodb.api import STREAMS, DynamoDbApi
from infra.local.dynamodb.expiry import Expiry
from infra.local.logs import report
from infra.local.sources.deliveries import Tools
from infra.local.sources.messages import Outgoing
from infra.local.sources.queues import Queues
from infra.local.streams.changes import Change
from infra.local.streams.delivery import StreamDelivery
from infra.local.streams.log import Log, StreamLog
from infra.local.streams.mapping import StreamSource

# As Lambda polls.
LOOK_EVERY_S: Final = 0.25


# Gives a record of a table its `userIdentity`, if it has one.
Signed = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]


@dataclass(slots=True)
class Read:
    """One stream, and those who get what is read of it."""

    table: str
    log: Log
    deliveries: list[StreamDelivery]
    signed: Signed = lambda _, record: record

    async def look(self) -> bool:
        """Pass on what is new; say whether there was anything."""
        records = [self.signed(self.table, one) for one in await self.log.read()]
        for delivery in self.deliveries:
            delivery.take(records)
        return bool(records)


@dataclass(slots=True)
class Streams:
    """The streams with mappings: `begin`, `start`, `stop`, `save`."""

    tools: Tools
    reads: list[Read]
    _kept: dict[str, Any] = field(default_factory=dict)
    _first: list[Callable[[], None]] = field(default_factory=list)
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)
    _polling: asyncio.Task[None] | None = None

    @classmethod
    def of(
        cls, sources: Iterable[StreamSource], queues: Queues, tools: Tools, expiry: Expiry
    ) -> Self:
        """Return the streams of a template's mappings, read where `expiry` deletes."""
        by_table: dict[str, list[StreamDelivery]] = {}
        for source in sources:
            delivery = StreamDelivery(source, tools, _teller(source, queues))
            by_table.setdefault(source.table, []).append(delivery)
        api = DynamoDbApi(expiry.api.endpoint, tools.place, STREAMS)
        return cls(
            tools,
            [
                Read(name, StreamLog(api, name), each, expiry.signed)
                for name, each in by_table.items()
            ],
        )

    async def begin(self, saved: Path) -> None:
        """From here on nothing is missed. Mappings that are not new go on where they stopped."""
        if not self.reads:
            return
        self._kept = _loaded(saved)
        for read in self.reads:
            await self._begin(read)

    def start(self) -> None:
        """Hand over what there is, and look for more."""
        if not self.reads:
            return
        for hand_over in self._first:
            hand_over()
        self.tools.quiet.ask_again(self.look)
        self._polling = asyncio.ensure_future(self._poll())
        self._polling.add_done_callback(_raised)

    async def look(self) -> bool:
        """Hand over what is new in all streams; say whether there was anything."""
        async with self._looking:
            found = [await read.look() for read in self.reads]
        return any(found)

    async def stop(self) -> None:
        """Nothing is handed over any more; what runs is not waited for."""
        for delivery in self._deliveries():
            delivery.stop()
        if self._polling is not None:
            self._polling.cancel()
            await asyncio.wait([self._polling])

    async def save(self, path: Path) -> None:
        """Write down what is left, with what was written until now: the stream forgets it."""
        if not self.reads:
            return
        await self._read_out()
        left = {
            delivery.source.name: [asdict(change) for change in delivery.unfinished()]
            for delivery in self._deliveries()
        }
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps({**self._kept, **left}), encoding="utf-8")
        beside.replace(path)

    async def _read_out(self) -> None:
        try:
            while await self.look():
                pass
        except aiohttp.ClientError as error:
            # Stopping goes on all the same: there is other state to be saved.
            report(f"streams could not be read to their end: {error}")
        for read in self.reads:
            await read.log.close()

    async def _begin(self, read: Read) -> None:
        """What was left at the last stop comes first; new mappings may want older records too."""
        older: list[Mapping[str, Any]] = []
        while page := await read.log.read():
            older += page
        for delivery in read.deliveries:
            left = self._kept.get(delivery.source.name)
            if left is not None:
                self._first.append(partial(delivery.take_again, [Change(**one) for one in left]))
            if left is not None or not delivery.source.starts_at_latest:
                self._first.append(partial(delivery.take, older))

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            await self.look()

    def _deliveries(self) -> Iterable[StreamDelivery]:
        return (delivery for read in self.reads for delivery in read.deliveries)


def _teller(source: StreamSource, queues: Queues) -> Callable[[str], object] | None:
    if source.dead_letters is None:
        return None
    queue = queues.of_arn(source.dead_letters)
    return lambda text: queue.send(Outgoing(text))


def _raised(task: asyncio.Task[None]) -> None:
    """Let an error of the polling be seen."""
    if not task.cancelled():
        task.result()


def _loaded(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}
