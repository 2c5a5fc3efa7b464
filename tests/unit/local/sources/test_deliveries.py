"""Batches of a queue: how they are gathered, how many at a time, and what a failure means."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from infra.local.cloudformation.intrinsics import Place
from infra.local.faults import Chance, Faults
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function
from infra.local.lambdas.invocation import FunctionError, Outcome
from infra.local.metrics import Metrics
from infra.local.sources.deliveries import Deliveries, Tools, failed_ids
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


@pytest.mark.fact("C.sqs.source.batch", "C.sqs.source.success")
async def test_what_can_be_received_comes_in_batches_and_is_deleted(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.send(*(str(n) for n in range(12)))
    await bench.advance(0)
    assert sorted(len(bodies) for _, bodies in bench.batches) == [2, 10]
    assert bench.queue.messages == {}
    await bench.advance(60)
    assert len(bench.batches) == 2


@pytest.mark.fact("C.sqs.source.window")
async def test_a_window_is_opened_by_the_first_message_and_closes_by_the_clock(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path, batch_size=100, window_s=20)
    await bench.advance(5)
    bench.send("first")
    await bench.advance(19)
    bench.send("second")
    await bench.advance(0.999)
    assert bench.batches == []
    await bench.advance(0.001)
    assert bench.batches == [(25.0, ["first", "second"])]
    bench.send("third")
    await bench.advance(20)
    assert bench.batches[1:] == [(45.0, ["third"])]


@pytest.mark.fact("C.sqs.source.window")
async def test_a_full_batch_does_not_wait_for_the_window(tmp_path: Path) -> None:
    bench = Bench(tmp_path, batch_size=3, window_s=20)
    bench.send("a", "b", "c", "d")
    await bench.advance(0)
    assert [bodies for _, bodies in bench.batches] == [["a", "b", "c"]]
    await bench.advance(20)
    assert bench.batches[1:] == [(20.0, ["d"])]


@pytest.mark.fact("C.sqs.source.window")
async def test_a_message_that_reappears_while_it_is_gathered_is_in_the_batch_once(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path, window_s=100)
    bench.send("a")
    await bench.advance(100)
    assert bench.batches == [(100.0, ["a"])]
    assert bench.queue.messages == {}


@pytest.mark.fact("C.sqs.source.payload")
async def test_a_batch_has_no_more_than_six_megabytes(tmp_path: Path) -> None:
    bench = Bench(tmp_path, window_s=300)
    bench.send(*(f"{n}{'x' * 1_000_000}" for n in range(8)))
    await bench.advance(0)
    assert [len(bodies) for _, bodies in bench.batches] == [6]
    await bench.advance(300)
    assert [len(bodies) for _, bodies in bench.batches] == [6, 2]


@pytest.mark.fact("C.sqs.source.concurrency")
@pytest.mark.parametrize("concurrency", [2, 5])
async def test_no_more_batches_run_at_a_time_than_the_mapping_allows(
    tmp_path: Path, concurrency: int
) -> None:
    bench = Bench(tmp_path, batch_size=1, concurrency=concurrency)
    bench.worker.gate.clear()
    bench.send(*(str(n) for n in range(8)))
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(bench.batches) == concurrency
    bench.worker.gate.set()
    await bench.advance(0)
    assert len(bench.batches) == 8


@pytest.mark.fact("C.sqs.source.failure", "C.sqs.redrive")
async def test_a_failed_batch_reappears_whole_until_it_is_a_dead_letter(tmp_path: Path) -> None:
    bench = Bench(tmp_path, most_receives=2)
    bench.worker.answer = lambda _: FAILED
    bench.send("a", "b")
    await bench.advance(100)
    assert bench.batches == [(0.0, ["a", "b"]), (30.0, ["a", "b"])]
    assert bench.queue.messages == {}
    assert [one.body for one in bench.dead.messages.values()] == ["a", "b"]


@pytest.mark.fact("C.sqs.source.partial")
async def test_only_what_is_named_reappears(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.worker.answer = names("b")
    bench.send("a", "b", "c")
    await bench.advance(30)
    assert bench.batches == [(0.0, ["a", "b", "c"]), (30.0, ["b"])]


@pytest.mark.fact("C.sqs.source.late-delete")
async def test_a_message_that_came_again_meanwhile_is_not_deleted_by_its_first_batch(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path)
    bench.worker.gate.clear()
    bench.send("a")
    for _ in range(10):
        await asyncio.sleep(0)
    bench.clock.set(START + 30_000)
    (other,) = bench.queue.receive(1)
    bench.worker.gate.set()
    await bench.quiet.settle()
    assert len(bench.queue.messages) == 1
    assert other.receipt is not None
    bench.queue.delete(other.receipt)
    assert bench.queue.messages == {}


@pytest.mark.fact("C.sqs.source.fifo", "C.sqs.source.fifo.in-order")
async def test_a_failed_message_holds_up_its_own_group_alone(tmp_path: Path) -> None:
    bench = Bench(tmp_path, is_fifo=True, deduplicates_by_content=True)
    bench.worker.answer = names("a1", "a2")
    for group in "ab":
        bench.send(f"{group}1", f"{group}2", group=group)
    await bench.advance(0)
    assert bench.batches == [(0.0, ["a1", "a2", "b1", "b2"])]
    bench.send("a3", group="a")
    bench.send("b3", group="b")
    await bench.advance(29)
    assert bench.batches[1:] == [(0.0, ["b3"])]
    bench.worker.answer = lambda _: DONE
    await bench.advance(1)
    assert bench.batches[2:] == [(30.0, ["a1", "a2", "a3"])]
    assert bench.queue.messages == {}


@pytest.mark.fact("C.sqs.source.fifo.in-order")
async def test_a_group_is_handled_by_one_batch_at_a_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path, is_fifo=True, batch_size=1)
    bench.worker.gate.clear()
    bench.send("a1", "a2", group="a")
    bench.send("b1", group="b")
    for _ in range(20):
        await asyncio.sleep(0)
    assert [bodies for _, bodies in bench.batches] == [["a1"], ["b1"]]
    bench.worker.gate.set()
    await bench.advance(0)
    assert [bodies for _, bodies in bench.batches[2:]] == [["a2"]]


@pytest.mark.fact("C.sqs.source.fifo.stop")
async def test_what_the_function_does_not_name_is_deleted_though_one_before_it_failed(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path, is_fifo=True)
    bench.worker.answer = names("a1")
    bench.send("a1", "a2", group="a")
    await bench.advance(0)
    assert [one.body for one in bench.queue.messages.values()] == ["a1"]


@pytest.mark.fact("C.sqs.source.event")
async def test_the_event_has_the_keys_of_aws_and_no_others(tmp_path: Path) -> None:
    bench = Bench(tmp_path, is_fifo=True)
    attributes = {
        "kind": {"DataType": "String", "StringValue": "bell"},
        "tone": {"DataType": "Binary", "BinaryValue": "AP8="},
    }
    bench.queue.send(Outgoing("x", attributes, group_id="a", deduplication_id="1"))
    await bench.advance(0)
    (record,) = bench.worker.events[0]["Records"]
    assert record == {
        "messageId": record["messageId"],
        "receiptHandle": record["receiptHandle"],
        "body": "x",
        "attributes": {
            "ApproximateReceiveCount": "1",
            "SentTimestamp": str(START),
            "SequenceNumber": record["attributes"]["SequenceNumber"],
            "MessageGroupId": "a",
            "SenderId": "000000000000",
            "MessageDeduplicationId": "1",
            "ApproximateFirstReceiveTimestamp": str(START),
        },
        "messageAttributes": {
            "kind": {
                "stringValue": "bell",
                "stringListValues": [],
                "binaryListValues": [],
                "dataType": "String",
            },
            "tone": {
                "binaryValue": "AP8=",
                "stringListValues": [],
                "binaryListValues": [],
                "dataType": "Binary",
            },
        },
        "md5OfBody": "9dd4e461268c8034f5c8564e155c67a6",
        "eventSource": "aws:sqs",
        "eventSourceARN": ARN + "work.fifo",
        "awsRegion": "us-east-1",
    }


@pytest.mark.fact(
    "C.sqs.source.partial", "C.sqs.source.partial.malformed", "C.sqs.source.partial.unknown-id"
)
@pytest.mark.parametrize(
    ("value", "failed"),
    [
        (None, set()),
        ({}, set()),
        ({"batchItemFailures": []}, set()),
        ({"batchItemFailures": None}, set()),
        ({"batchItemFailures": [{"itemIdentifier": "b"}]}, {"b"}),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, {"a", "b"}),
        ({"batchItemFailures": [{"itemIdentifier": None}]}, {"a", "b"}),
        ({"batchItemFailures": [{"item_identifier": "b"}]}, {"a", "b"}),
        ({"batchItemFailures": [{"itemIdentifier": "unknown"}]}, {"a", "b"}),
        ({"batchItemFailures": ["b"]}, {"a", "b"}),
        ({"batchItemFailures": 7}, {"a", "b"}),
        ("done", {"a", "b"}),
    ],
)
def test_partial_batch_responses_name_what_failed(value: Json, failed: set[str]) -> None:
    outcome = Outcome(value=value)
    assert failed_ids(outcome, reports_failures=True, batch={"a", "b"}) == failed


@pytest.mark.fact("C.sqs.source.failure", "C.sqs.source.partial.ignored")
def test_an_exception_fails_the_whole_batch_and_unasked_answers_mean_nothing() -> None:
    named = Outcome(value={"batchItemFailures": [{"itemIdentifier": "b"}]})
    assert failed_ids(FAILED, reports_failures=False, batch={"a", "b"}) == {"a", "b"}
    assert failed_ids(named, reports_failures=False, batch={"a", "b"}) == set()


@pytest.mark.fact("C.sqs.source.fifo.in-order")
async def test_what_somebody_else_deletes_lets_its_group_go_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path, is_fifo=True)
    bench.send("a1", "a2", group="a")
    (held,) = bench.queue.receive(1)
    await bench.advance(1)
    assert bench.batches == []
    assert held.receipt is not None
    bench.queue.delete(held.receipt)
    await bench.advance(0)
    assert bench.batches == [(1.0, ["a2"])]
