"""Queue messages that come twice, late and in another order; and never so from a FIFO queue."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from infra.local.faults import Faults
from tests.unit.local.sources.delivering import DONE, FAILED, Bench

ALWAYS_TWICE = Faults(queue_order="kept", queue_doubled=1.0, queue_late_ms=1000)
TWICE_AT_ONCE = Faults(queue_order="kept", queue_doubled=1.0, queue_late_ms=0)


def bench(path: Path, faults: Faults, **settings: Any) -> Bench:  # noqa: ANN401 - of queue and mapping
    made = Bench(path, **settings)
    made.chance.restart(faults, 3)
    made.queue.late_ms = lambda: made.chance.late_ms("queue")
    return made


def records(made: Bench) -> list[dict[str, Any]]:
    return [record for event in made.worker.events for record in event["Records"]]


@pytest.mark.fact("C.sqs.at-least-once")
async def test_a_message_comes_again_though_it_was_handled_and_deleted(tmp_path: Path) -> None:
    made = bench(tmp_path, ALWAYS_TWICE)
    made.send(*"abcdefgh")
    await made.advance(60)
    for body in "abcdefgh":
        first, second = (one for one in records(made) if one["body"] == body)
        assert first["messageId"] == second["messageId"]
        assert first["receiptHandle"] != second["receiptHandle"]
    assert {at for at, _ in made.batches} > {0.0}
    assert made.queue.messages == {}


@pytest.mark.fact("C.sqs.how-often")
async def test_both_copies_can_be_handled_at_the_same_time(tmp_path: Path) -> None:
    made = bench(tmp_path, TWICE_AT_ONCE)
    made.worker.gate.clear()
    made.send("a", "b")
    for _ in range(20):
        await asyncio.sleep(0)
    assert made.batches == [(0.0, ["a", "b"]), (0.0, ["a", "b"])]
    made.worker.gate.set()
    await made.advance(3600)
    assert len(made.batches) == 2


async def test_the_second_copy_decides_when_the_first_one_failed(tmp_path: Path) -> None:
    made = bench(tmp_path, TWICE_AT_ONCE)
    answers = iter([FAILED, DONE])
    made.worker.answer = lambda _: next(answers)
    made.send("a")
    await made.advance(3600)
    assert len(records(made)) == 2
    assert made.queue.messages == {}
    assert made.dead.messages == {}


async def test_a_second_copy_is_no_second_receive_on_the_way_to_the_dead_letters(
    tmp_path: Path,
) -> None:
    made = bench(tmp_path, ALWAYS_TWICE, most_receives=1)
    made.send("a")
    await made.advance(60)
    counts = [one["attributes"]["ApproximateReceiveCount"] for one in records(made)]
    assert counts == ["1", "1"]
    assert made.dead.messages == {}


async def test_a_message_that_fails_comes_twice_only_the_first_time(tmp_path: Path) -> None:
    made = bench(tmp_path, TWICE_AT_ONCE)
    answers = iter([FAILED, FAILED, DONE, DONE])
    made.worker.answer = lambda _: next(answers)
    made.send("a")
    await made.advance(29)
    assert len(records(made)) == 2
    made.chance.restart(Faults(), 3)
    await made.advance(3600)
    assert len(records(made)) == 3
    assert made.queue.messages == {}


@pytest.mark.fact("C.sqs.late")
async def test_a_message_is_late_by_at_most_the_span_and_comes_once(tmp_path: Path) -> None:
    late = Faults(queue_order="kept", queue_late=1.0, queue_late_ms=3000)
    made = bench(tmp_path, late)
    made.send(*"abcdefgh")
    await made.advance(3)
    instants = [at for at, bodies in made.batches for _ in bodies]
    assert len(instants) == 8
    assert 0 < min(instants) < max(instants) <= 3
    await made.advance(3600)
    assert len(records(made)) == 8


@pytest.mark.fact("C.sqs.order")
async def test_a_batch_comes_in_another_order_unless_that_is_switched_off(tmp_path: Path) -> None:
    made = bench(tmp_path, Faults())
    made.send(*"abcde")
    await made.advance(0)
    (_, bodies) = made.batches[0]
    assert sorted(bodies) == list("abcde") != bodies


@pytest.mark.fact("C.sqs.fifo.order")
async def test_a_fifo_queue_is_spared(tmp_path: Path) -> None:
    storm = Faults(queue_doubled=1.0, queue_late=1.0, queue_order="shuffled")
    made = bench(tmp_path, storm, is_fifo=True, deduplicates_by_content=True)
    made.send(*"abcde", group="g")
    await made.advance(60)
    assert [body for _, bodies in made.batches for body in bodies] == list("abcde")
    assert made.batches[0][0] == 0.0
