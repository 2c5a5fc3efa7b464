"""One lane of a stream: hands its changes over in order, one batch at a time.

A batch that fails holds up everything behind it until it succeeds or is given up. What a failure
means `batch` knows; the clock says when a batch is tried again.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import Final

from infra.local.ids import uuid_text
from infra.local.sources.deliveries import Tools
from infra.local.streams.batch import (
    Batch,
    Discarded,
    Next,
    after_failure,
    first_failed,
    without_expired,
)
from infra.local.streams.changes import Change
from infra.local.streams.mapping import StreamSource
from infra.local.timing.agenda import Entry

# An event has at most 6 MB; some of them are its own brackets.
MOST_BYTES: Final = 6 * 1024 * 1024 - 1024


@dataclass(slots=True)
class Lane:
    """The lane; changes that are `put` in are handed over as the source's mapping says."""

    source: StreamSource
    tools: Tools
    give_up: Callable[[Discarded], None]
    is_stopped: bool = False
    _waiting: deque[Change] = field(default_factory=deque)
    # What was cut from `_waiting` already; the first is the one at work, if one is.
    _batches: deque[Batch] = field(default_factory=deque)
    _task: asyncio.Task[Batch] | None = None
    _alarm: Entry | None = None

    @property
    def is_empty(self) -> bool:
        """Whether everything was handed over or given up."""
        return not self._waiting and not self._batches

    def put(self, change: Change) -> None:
        """Hand the change over after all others."""
        self._waiting.append(change)

    def unfinished(self) -> Iterator[Change]:
        """Yield the changes that were not yet handed over with success, in order."""
        for batch in self._batches:
            yield from () if batch.is_replay else batch.changes
        yield from self._waiting

    def go(self) -> None:
        """Hand over the next batch if its time has come; otherwise that is done when it comes."""
        while self._task is None and not self.is_stopped:
            now = self.tools.agenda.clock.now()
            due = self._due_at(now)
            if due is None:
                return
            if due > now:
                self._wake_at(due)
                return
            self._begin(now)

    def _due_at(self, now: int) -> int | None:
        """Return when the next batch is to be handed over, None when nothing waits."""
        if self._batches:
            return self._batches[0].due_at
        if not self._waiting:
            return None
        ready = self._waiting[0].ready_at
        window_ms = self.source.window_s * 1000
        return ready if ready > now or self._is_full(now) else ready + window_ms

    def _is_full(self, now: int) -> bool:
        """Say whether the batching window need not be waited for."""
        ready = list(self._ready(now))
        too_large = sum(one.size for one in ready) >= MOST_BYTES
        return too_large or len(ready) >= self.source.batch_size

    def _ready(self, now: int) -> Iterator[Change]:
        first = islice(self._waiting, self.source.batch_size)
        return takewhile(lambda one: one.ready_at <= now, first)

    def _begin(self, now: int) -> None:
        if not self._batches:
            self._batches.append(self._cut(now))
        live = without_expired(self._batches[0], self.source, now)
        if live.discarded is not None:
            self._follow(live)
            return
        self.tools.quiet.enter()
        self._task = asyncio.ensure_future(self._handed_over(self._batches[0]))
        self._task.add_done_callback(self._done)

    def _cut(self, now: int) -> Batch:
        changes: list[Change] = []
        left = MOST_BYTES
        for change in self._ready(now):
            left -= change.size
            if changes and left < 0:
                break
            changes.append(change)
        for _ in changes:
            self._waiting.popleft()
        return Batch(tuple(changes))

    async def _handed_over(self, batch: Batch) -> Batch:
        """Return the batch with what came of it."""
        self.tools.metrics.deliveries += len(batch.changes)
        request_id = uuid_text()
        event = {"Records": [change.record for change in batch.changes]}
        outcome = await self.tools.invoker.invoke(self.source.function, event, request_id)
        return replace(
            batch, invocations=batch.invocations + 1, last=outcome, request_id=request_id
        )

    def _done(self, task: asyncio.Task[Batch]) -> None:
        self._task = None
        self.tools.quiet.leave()
        # Stopped in the middle: what came of it is not known, so it is handed over again.
        if not task.cancelled() and not self.is_stopped:
            self._follow(self._after(task.result()))
            self.go()

    def _after(self, batch: Batch) -> Next:
        now = self.tools.agenda.clock.now()
        if batch.last is None:
            raise RuntimeError("a batch that was handed over has an outcome")
        failed = first_failed(batch, batch.last, reports_failures=self.source.reports_failures)
        if failed is not None:
            return after_failure(batch, failed, self.source, now)
        again = None if batch.is_replay else self.tools.chance.again_ms("stream")
        if again is None:
            return Next()
        return Next((Batch(batch.changes, due_at=now + again, is_replay=True),))

    def _follow(self, following: Next) -> None:
        """Put what follows in the place of the first batch."""
        self._batches.popleft()
        self._batches.extendleft(reversed(following.batches))
        if following.discarded is not None:
            self.give_up(following.discarded)

    def _wake_at(self, due: int) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = self.tools.agenda.at(due, self.go)
