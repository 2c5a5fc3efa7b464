"""Batches of FIFO queues: groups in order, each in one batch at a time, held up by a failure."""

import asyncio
from pathlib import Path

import pytest

from infra.local.sources.messages import Outgoing
from tests.unit.local.sources.conftest import ARN, START
from tests.unit.local.sources.delivering import DONE, Bench, names


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
