"""SQS event sources: takes due messages from a queue and hands them to its function in batches.

Knows batch size, partial batch responses and what a failure means: the message stays and reappears
when its visibility timeout is over, until it has been received too often. A message that the
filters of the mapping do not want is deleted.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from infra.local.cloudformation.intrinsics import Place
from infra.local.cloudformation.template import Resource, Template
from infra.local.faults import Chance
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function, Functions
from infra.local.lambdas.invocation import Invoker, Outcome
from infra.local.logs import report
from infra.local.metrics import Metrics
from infra.local.sources.filters import Filters, read_filters
from infra.local.sources.queues import Message, Queue
from infra.local.sources.records import sqs_event
from infra.local.timing.agenda import Agenda
from infra.local.timing.quiet import Quiet

DEFAULT_BATCH: Final = 10
# Lambda starts with five pollers for a standard queue.
DEFAULT_CONCURRENCY: Final = 5


@dataclass(frozen=True, slots=True)
class QueueSource:
    """An event source mapping from a queue to a function."""

    queue_arn: str
    function: Function
    batch_size: int
    reports_failures: bool
    concurrency: int
    filters: Filters = field(default_factory=Filters)


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
        queue.on_due = self._due_at

    def _due_at(self, instant: int) -> None:
        self._tools.agenda.at(instant, self._deliver)

    def _deliver(self) -> None:
        while len(self._running) < self._source.concurrency:
            received = self._queue.receive(self._source.batch_size)
            if not received:
                return
            messages = self._wanted(received)
            if not messages:
                continue
            self._tools.quiet.enter()
            task = asyncio.ensure_future(self._hand_over(messages))
            self._running.add(task)
            task.add_done_callback(self._handed_over)

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
            if message.id in failed:
                report(f"{self._queue.spec.name}: message {message.id} failed, it will reappear")
            elif message.receipt is not None:
                self._queue.delete(message.receipt)


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
    identifiers = {_identifier(failure) for failure in failures}
    return identifiers if identifiers.issubset(batch) else batch


def read_queue_sources(template: Template, functions: Functions) -> list[QueueSource]:
    """Return the mappings from queues; other event sources are reported, not served."""
    sources = []
    for resource in template.of_kind("AWS::Lambda::EventSourceMapping"):
        arn = str(resource.properties.get("EventSourceArn"))
        if not arn.startswith("arn:aws:sqs:"):
            report(f"not served yet: {resource.logical_id}, an event source of {arn}")
        elif resource.properties.get("Enabled", True):
            sources.append(_source(resource, functions, arn))
    return sources


def _source(resource: Resource, functions: Functions, arn: str) -> QueueSource:
    properties = resource.properties
    scaling = properties.get("ScalingConfig", {})
    return QueueSource(
        queue_arn=arn,
        function=functions.named(str(properties["FunctionName"])),
        batch_size=int(properties.get("BatchSize", DEFAULT_BATCH)),
        reports_failures="ReportBatchItemFailures" in properties.get("FunctionResponseTypes", []),
        concurrency=int(scaling.get("MaximumConcurrency", DEFAULT_CONCURRENCY)),
        filters=read_filters(resource),
    )


def _identifier(failure: Json) -> str:
    return str(failure.get("itemIdentifier") or "") if isinstance(failure, Mapping) else ""
