"""SQS event sources: takes due messages from a queue and hands them to its function in batches.

Knows batch size and window, partial batch responses and what a failure means: the message stays
and reappears when its visibility timeout is over, until it has been received too often. A message
that the filters of the mapping do not want is deleted.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from infra.local.cloudformation.intrinsics import Place
from infra.local.faults import Chance
from infra.local.json_values import Json
from infra.local.lambdas.invocation import Invoker, Outcome
from infra.local.logs import report
from infra.local.metrics import Metrics
from infra.local.sources.messages import Message
from infra.local.sources.queue_sources import QueueSource
from infra.local.sources.queue_state import Queue
from infra.local.sources.records import sqs_event
from infra.local.timing.agenda import Agenda
from infra.local.timing.quiet import Quiet

# What a function can be handed at once, and what a record has around its body and attributes.
MOST_BYTES: Final = 6 * 1024 * 1024
AROUND_A_BODY: Final = 1024


@dataclass(frozen=True, slots=True)
class Tools:
    """What deliveries need of the system around them."""

    agenda: Agenda
    quiet: Quiet
    invoker: Invoker
    metrics: Metrics
    place: Place
    chance: Chance = field(default_factory=Chance)


class Deliveries:
    """Delivers the messages of one queue to one function."""

    def __init__(self, source: QueueSource, queue: Queue, tools: Tools) -> None:
        self._source = source
        self._queue = queue
        self._tools = tools
        self._running: set[asyncio.Task[None]] = set()
        self._left_in: set[str] = set()
        self._gathered: dict[str, Message] = {}
        self._closes_at: int | None = None
        queue.listeners.append(self._due_at)

    def _due_at(self, instant: int) -> None:
        self._tools.agenda.at(instant, self._deliver)

    def _deliver(self) -> None:
        while len(self._running) < self._source.concurrency:
            self._gather()
            messages = self._batch()
            if not messages:
                return
            self._tools.quiet.enter()
            task = asyncio.ensure_future(self._hand_over(self._as_they_come(messages)))
            self._running.add(task)
            task.add_done_callback(self._handed_over)

    def _gather(self) -> None:
        """Take what can be received, up to a batch; the first message opens the window."""
        while room := self._source.batch_size - len(self._gathered):
            received = self._queue.receive(room)
            if not received:
                break
            self._gathered |= {one.id: one for one in self._wanted(received)}
        if self._gathered and self._closes_at is None and self._source.window_s:
            self._closes_at = self._tools.agenda.clock.now() + self._source.window_s * 1000
            self._due_at(self._closes_at)

    def _batch(self) -> list[Message]:
        """Return what is handed over now: a full batch, or what there is when the window closes."""
        batch = fitting(self._gathered.values())
        is_full = len(self._gathered) == self._source.batch_size or len(batch) < len(self._gathered)
        now = self._tools.agenda.clock.now()
        if not is_full and self._closes_at is not None and now < self._closes_at:
            return []
        for message in batch:
            del self._gathered[message.id]
        if not self._gathered:
            self._closes_at = None
        return batch

    def _wanted(self, received: list[Message]) -> list[Message]:
        """Return the messages that pass the filters; the others are deleted for good."""
        if not self._source.filters.patterns:
            return received
        records = sqs_event(received, self._queue.spec, self._tools.place)["Records"]
        wanted = []
        for message, record in zip(received, records, strict=True):
            if self._source.filters.pass_message(record):
                wanted.append(message)
            elif message.receipt is not None:
                self._queue.delete(message.receipt)
        return wanted

    def _as_they_come(self, messages: list[Message]) -> list[Message]:
        """Return them in an order SQS may give; what is to come twice is left in the queue."""
        if self._queue.spec.is_fifo:
            return messages
        for message in messages:
            self._perhaps_leave_in(message)
        return self._tools.chance.order("queue", messages)

    def _perhaps_leave_in(self, message: Message) -> None:
        if message.id in self._left_in:
            self._left_in.discard(message.id)
            return
        again_ms = self._tools.chance.again_ms("queue")
        if again_ms is not None:
            self._left_in.add(message.id)
            self._queue.leave_in(message, again_ms)

    def _handed_over(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._tools.quiet.leave()
        if not task.cancelled():
            task.result()
            self._deliver()

    async def _hand_over(self, messages: list[Message]) -> None:
        self._tools.metrics.deliveries += len(messages)
        event = sqs_event(messages, self._queue.spec, self._tools.place)
        outcome = await self._tools.invoker.invoke(self._source.function, event)
        failed = failed_ids(outcome, self._source.reports_failures, {one.id for one in messages})
        for message in messages:
            if message.id not in failed and message.receipt is not None:
                self._queue.forget(message.receipt)
        if failed:
            name, span_s = self._queue.spec.name, self._queue.spec.visibility_s
            report(
                f"{name}: {len(failed)} of {len(messages)} messages failed and reappear "
                f"{span_s} s after they were received"
            )


def fitting(messages: Iterable[Message]) -> list[Message]:
    """Return the first messages, as many as an invocation can carry."""
    fit: list[Message] = []
    left = MOST_BYTES
    for message in messages:
        left -= len(message.body.encode()) + AROUND_A_BODY
        if left < 0:
            break
        fit.append(message)
    return fit


def failed_ids(outcome: Outcome, reports_failures: bool, batch: set[str]) -> set[str]:  # noqa: FBT001  a fact of the mapping, not a mode
    """Return the ids of the messages that must be delivered again (facts C, partial batches).

    An exception, an empty or unknown id or a malformed answer means the whole batch.
    """
    if outcome.error is not None:
        return batch
    if not reports_failures or not outcome.value:
        return set()
    if not isinstance(outcome.value, Mapping):
        return batch
    failures = outcome.value.get("batchItemFailures") or []
    if not isinstance(failures, list):
        return batch
    identifiers = {_identifier(failure) for failure in failures}
    return identifiers if identifiers.issubset(batch) else batch


def _identifier(failure: Json) -> str:
    return str(failure.get("itemIdentifier") or "") if isinstance(failure, Mapping) else ""
