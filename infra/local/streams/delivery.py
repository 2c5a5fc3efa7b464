"""Delivers the stream of one table to one function: filters, lanes, and what is given up.

A lane takes the changes of an item always in their order. With one lane the whole shard is in
order; with more, as many batches are handed over side by side.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from zlib import crc32

from infra.local.faults import Chance
from infra.local.logs import report
from infra.local.sources.deliveries import Tools
from infra.local.streams.batch import Discarded
from infra.local.streams.changes import Change, lambda_record
from infra.local.streams.failures import failure_message
from infra.local.streams.lane import Lane
from infra.local.streams.mapping import StreamSource

# As AWS names them; here every stream has one.
SHARD: Final = "shardId-00000000000000000000-00000000"
# How many shards a stream seems to have when the order across keys is not kept.
SHARDS: Final = 4


class StreamDelivery:
    """Hands the changes of one stream to one function; `tell` is told of what is given up."""

    def __init__(
        self, source: StreamSource, tools: Tools, tell: Callable[[str], object] | None = None
    ) -> None:
        self.source = source
        self._tools = tools
        self._tell = tell
        self._lanes: dict[tuple[int, int], Lane] = {}
        self._is_apart = False
        self._is_stopped = False

    def take(self, raw: Iterable[Mapping[str, Any]]) -> None:
        """Hand over those records of DynamoDB Streams that pass the filters."""
        clock, chance = self._tools.agenda.clock, self._tools.chance
        wanted: list[Change] = []
        for one in raw:
            record = lambda_record(one, self.source.stream_arn, self._tools.place, clock)
            if self.source.filters.pass_change(record):
                created = record["dynamodb"]["ApproximateCreationDateTime"] * 1000
                now = clock.now()
                wanted.append(Change.of(record, created, now + chance.late_ms("stream")))
        self._put(wanted)

    def take_again(self, changes: Iterable[Change]) -> None:
        """Hand over changes that were left over from before."""
        self._put(list(changes))

    def stop(self) -> None:
        """Nothing is handed over any more; what is taken is kept."""
        self._is_stopped = True
        for lane in self._lanes.values():
            lane.is_stopped = True

    def unfinished(self) -> list[Change]:
        """Return the changes that were not yet handed over with success, in order."""
        left = [change for lane in self._lanes.values() for change in lane.unfinished()]
        return sorted(left, key=lambda change: int(change.sequence))

    def _put(self, changes: list[Change]) -> None:
        self._play_shards(self._tools.chance)
        lanes: dict[tuple[int, int], None] = {}
        for change in changes:
            number = self._lane_of(change)
            self._lane(number).put(change)
            lanes[number] = None
        for number in self._tools.chance.order("stream", list(lanes)):
            self._lanes[number].go()

    def _play_shards(self, chance: Chance) -> None:
        """Go over from one shard to several or back, once no item has changes in both."""
        if all(lane.is_empty for lane in self._lanes.values()):
            self._is_apart = chance.faults.stream_order == "shuffled"

    def _lane_of(self, change: Change) -> tuple[int, int]:
        shard = crc32(change.partition.encode()) % SHARDS if self._is_apart else 0
        return shard, crc32(change.item.encode()) % self.source.factor

    def _lane(self, number: tuple[int, int]) -> Lane:
        if number not in self._lanes:
            self._lanes[number] = Lane(
                self.source, self._tools, self._give_up, is_stopped=self._is_stopped
            )
        return self._lanes[number]

    def _give_up(self, discarded: Discarded) -> None:
        count = len(discarded.batch.changes)
        report(f"{self.source.name}: {count} changes are given up: {discarded.condition}")
        if self._tell is not None:
            now = self._tools.agenda.clock.now()
            message = failure_message(discarded, self.source.function, SHARD, now)
            self._tell(json.dumps(message))
