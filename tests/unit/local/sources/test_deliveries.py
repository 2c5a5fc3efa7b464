"""Batches of a queue: how they are gathered, how many at a time, and what a failure means."""

import asyncio
from pathlib import Path

import pytest

from infra.local.json_values import Json
from infra.local.lambdas.invocation import Outcome
from infra.local.sources.deliveries import failed_ids
from tests.unit.local.sources.conftest import START
from tests.unit.local.sources.delivering import FAILED, Bench, names


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
