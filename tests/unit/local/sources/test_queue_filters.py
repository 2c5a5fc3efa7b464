"""A queue's deliveries with filters: what no filter wants is gone, and runs nothing."""

from pathlib import Path

import pytest

from infra.local.cloudformation.intrinsics import Place
from infra.local.cloudformation.template import Resource
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function
from infra.local.lambdas.invocation import Outcome
from infra.local.metrics import Metrics
from infra.local.sources.deliveries import Deliveries, Tools
from infra.local.sources.filters import read_filters
from infra.local.sources.messages import Outgoing
from infra.local.sources.queue_sources import QueueSource
from infra.local.sources.queue_specs import QueueSpec
from infra.local.sources.queues import Queues
from infra.local.timing.agenda import Agenda
from infra.local.timing.clock import TestClock
from infra.local.timing.quiet import Quiet

ARN = "arn:aws:sqs:us-east-1:000000000000:work"
FUNCTION = Function("F", "f", "arn:f", "app.f", Path(), 3, 128, {})


class Listening:
    """Notes the bodies it is invoked with."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    async def invoke(
        self, function: Function, event: Json, request_id: str | None = None
    ) -> Outcome:
        self.batches.append([record["body"] for record in event["Records"]])
        return Outcome()

    async def warm(self, functions: list[Function]) -> None: ...
    async def reload(self) -> None: ...
    async def stop(self) -> None: ...


@pytest.mark.fact("C.filter.sqs.dropped")
async def test_a_message_that_no_filter_wants_is_deleted_and_runs_nothing(tmp_path: Path) -> None:
    clock, quiet, invoker = TestClock(tmp_path / "clock", 1_800_000_000_000), Quiet(), Listening()
    agenda = Agenda(clock, quiet)
    queues = Queues([QueueSpec("work", ARN, "http://x/work")], clock)
    criteria = {"Filters": [{"Pattern": '{"body": {"kind": ["bell"]}}'}]}
    mapping = Resource("M", "AWS::Lambda::EventSourceMapping", {"FilterCriteria": criteria})
    source = QueueSource(ARN, FUNCTION, 10, False, 5, read_filters(mapping))  # noqa: FBT003 - a fact of the mapping
    queue = queues.of_arn(ARN)
    Deliveries(source, queue, Tools(agenda, quiet, invoker, Metrics(), Place()))
    for body in ('{"kind": "bell"}', '{"kind": "gong"}', "bell"):
        queue.send(Outgoing(body))
    await quiet.settle()
    assert invoker.batches == [['{"kind": "bell"}']]
    assert queue.messages == {}
    await agenda.advance(clock, 60_000)
    assert len(invoker.batches) == 1
