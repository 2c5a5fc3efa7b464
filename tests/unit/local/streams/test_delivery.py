"""Streams are read, filtered and handed over in order, and quiet waits for all of it."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from infra.local.faults import Chance, Faults
from infra.local.lambdas.invocation import Outcome
from infra.local.sources.filters import Filters
from infra.local.sources.patterns import pattern
from infra.local.streams.mapping import StreamSource
from tests.unit.local.streams.bench import ERROR, Bench, Told, source

Make = Callable[..., Awaitable[Bench]]


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    made: list[Bench] = []

    async def bench(*sources: StreamSource, faults: Faults | None = None) -> Bench:
        made.append(await Bench(tmp_path, *sources, faults=faults).start())
        return made[-1]

    yield bench
    for one in made:
        await one.streams.stop()


def failing(*bad: str) -> Callable[[Told], Outcome]:
    """Answer with an error for a batch that holds one of these."""
    return lambda told: ERROR if set(told) & set(bad) else Outcome()


async def test_without_a_mapping_nothing_is_ever_read(make: Make) -> None:
    bench = await make()
    bench.log.write("a", 1)
    assert await bench.advance(3600) == []
    assert bench.log.reads == 0


@pytest.mark.fact("C.streams.polling")
async def test_what_was_written_is_handed_over_before_it_is_called_quiet(make: Make) -> None:
    bench = await make(source())
    bench.log.write("a", 1)
    bench.log.write("b", 2)
    assert await bench.settle() == [["a1", "b2"]]
    assert await bench.settle() == []


async def test_quiet_waits_for_what_a_function_writes_into_the_stream_it_reads(make: Make) -> None:
    bench = await make(source())

    def writing(told: Told) -> Outcome:
        number = int(told[-1][1:])
        if number < 5:
            bench.log.write("a", number + 1)
        return Outcome()

    bench.function.answer = writing
    bench.log.write("a", 1)
    assert await bench.settle() == [["a1"], ["a2"], ["a3"], ["a4"], ["a5"]]


@pytest.mark.fact("C.streams.batch.size")
async def test_a_batch_has_at_most_its_size_and_six_megabytes(make: Make) -> None:
    bench = await make(source(batch_size=2))
    for number in range(5):
        bench.log.write("a", number)
    assert await bench.settle() == [["a0", "a1"], ["a2", "a3"], ["a4"]]
    for number in range(2):
        bench.log.write("a", number, text={"S": "x" * 4_000_000})
    assert await bench.settle() == [["a0"], ["a1"]]


@pytest.mark.fact("C.streams.batch.window")
async def test_a_window_gathers_until_it_is_over_or_the_batch_is_full(make: Make) -> None:
    wanted = pattern('{"dynamodb": {"NewImage": {"n": {"N": [{"anything-but": ["0"]}]}}}}')
    bench = await make(source(window_s=10, batch_size=3, filters=Filters((wanted,))))
    bench.log.write("a", 1)
    assert await bench.settle() == []
    assert await bench.advance(9.999) == []
    bench.log.write("a", 2)
    assert await bench.advance(0.001) == [["a1", "a2"]]
    for number in (3, 0, 0, 4):
        bench.log.write("a", number)
    assert await bench.settle() == []
    bench.log.write("a", 5)
    assert await bench.settle() == [["a3", "a4", "a5"]]


@pytest.mark.fact("C.streams.batch.window", "C.streams.batch.size")
async def test_six_megabytes_do_not_wait_for_the_end_of_the_window(make: Make) -> None:
    bench = await make(source(window_s=10))
    for number in range(2):
        bench.log.write("a", number, text={"S": "x" * 4_000_000})
    assert await bench.settle() == [["a0"]]
    assert await bench.advance(10) == [["a1"]]


@pytest.mark.fact("C.filter.dynamodb.skipped")
async def test_what_no_filter_wants_is_passed_by(make: Make) -> None:
    wanted = pattern('{"dynamodb": {"NewImage": {"watched": {"S": [{"exists": true}]}}}}')
    bench = await make(source(filters=Filters((wanted,))))
    bench.log.write("a", 1)
    assert await bench.settle() == []
    bench.log.write("a", 2, watched={"S": "x"})
    assert await bench.settle() == [["a2"]]


@pytest.mark.fact("C.streams.order", "C.streams.blocked")
async def test_a_failing_batch_holds_up_all_that_follows(make: Make) -> None:
    bench = await make(source(batch_size=1))
    bench.function.answer = failing("a1")
    bench.log.write("a", 1)
    bench.log.write("b", 1)
    bench.log.write("a", 2)
    assert await bench.settle() == [["a1"]]
    assert await bench.advance(3.5) == [["a1"], ["a1"]]
    bench.function.answer = failing()
    assert await bench.advance(4) == [["a1"], ["b1"], ["a2"]]


@pytest.mark.fact("C.streams.parallel")
async def test_with_several_lanes_a_failing_item_holds_up_its_own_lane_only(make: Make) -> None:
    bench = await make(source(batch_size=10, factor=10))
    bench.function.answer = lambda told: ERROR if "a1" in told else Outcome()
    items = ["a", *(f"p/{n}" for n in range(20))]
    for number in (1, 2):
        for item in items:
            bench.log.write(item, number)
    handed_over = await bench.settle()
    succeeded = [one for told in handed_over if "a1" not in told for one in told]
    assert succeeded.count("p1") > 5
    assert "a2" not in succeeded
    bench.function.answer = lambda _: Outcome()
    later = [one for told in await bench.advance(60) for one in told]
    assert later.index("a1") < later.index("a2")


@pytest.mark.fact("C.streams.parallel")
async def test_lanes_are_of_items_so_that_one_partition_is_handed_over_side_by_side(
    make: Make,
) -> None:
    bench = await make(source(factor=10))
    for number in range(30):
        bench.log.write(f"p/{number}", number)
    assert 1 < len(await bench.settle()) <= 10


@pytest.mark.fact("C.streams.order")
async def test_the_order_of_an_item_is_kept_through_retries_and_cuts(make: Make) -> None:
    bench = await make(source(batch_size=4, bisects=True, most_retries=3))
    failures = iter([True, True, False, True, False, False, True] + [False] * 50)
    done: list[str] = []

    def now_and_then(told: Told) -> Outcome:
        if next(failures):
            return ERROR
        done.extend(told)
        return Outcome()

    bench.function.answer = now_and_then
    for number in range(9):
        bench.log.write("a", number)
    await bench.advance(600)
    assert done == [f"a{number}" for number in range(9)]


@pytest.mark.fact("C.streams.on-failure", "C.streams.retries.exhausted")
async def test_what_is_given_up_is_told_and_the_next_batch_follows(make: Make) -> None:
    bench = await make(source(batch_size=2, most_retries=1))
    bench.function.answer = failing("a1")
    for number in (1, 2, 3):
        bench.log.write("a", number)
    assert await bench.settle() == [["a1", "a2"]]
    assert await bench.advance(2) == [["a1", "a2"], ["a3"]]
    (message,) = [json.loads(text) for text in bench.given_up]
    assert message["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert message["requestContext"]["approximateInvokeCount"] == 2
    assert message["DDBStreamBatchInfo"]["startSequenceNumber"] == "1"
    assert message["DDBStreamBatchInfo"]["endSequenceNumber"] == "2"


@pytest.mark.fact("C.streams.bisect", "C.streams.on-failure")
async def test_bisecting_finds_the_one_that_fails_and_the_others_get_through(make: Make) -> None:
    bench = await make(source(bisects=True, most_retries=0))
    bench.function.answer = failing("a3")
    for number in (1, 2, 3, 4):
        bench.log.write("a", number)
    assert await bench.settle() == [
        ["a1", "a2", "a3", "a4"],
        ["a1", "a2"],
        ["a3", "a4"],
        ["a3"],
        ["a4"],
    ]
    (message,) = [json.loads(text) for text in bench.given_up]
    assert message["DDBStreamBatchInfo"]["batchSize"] == 1


@pytest.mark.fact("C.streams.partial.lowest")
async def test_a_partial_answer_lets_the_first_ones_go(make: Make) -> None:
    bench = await make(source(reports_failures=True))
    bench.function.answer = lambda told: (
        Outcome({"batchItemFailures": [{"itemIdentifier": "2"}]}) if "a1" in told else Outcome()
    )
    for number in (1, 2, 3):
        bench.log.write("a", number)
    assert await bench.settle() == [["a1", "a2", "a3"]]
    assert await bench.advance(1) == [["a2", "a3"]]


@pytest.mark.fact("C.streams.age", "C.streams.on-failure")
async def test_what_grew_too_old_behind_a_failure_is_given_up(make: Make) -> None:
    bench = await make(source(batch_size=1, most_age_s=60))
    bench.function.answer = failing("a1", "a2")
    bench.log.write("a", 1)
    bench.log.write("a", 2)
    await bench.advance(40)
    bench.log.write("a", 3)
    assert (await bench.advance(30))[-1] == ["a3"]
    conditions = [json.loads(text)["requestContext"]["condition"] for text in bench.given_up]
    assert conditions == ["RecordAgeExceeded"] * 2


@pytest.mark.fact("C.streams.retention", "C.streams.retention.told", "C.streams.retries.infinite")
async def test_without_limits_a_failing_batch_is_tried_for_a_day(make: Make) -> None:
    bench = await make(source())
    bench.function.answer = lambda _: ERROR
    bench.log.write("a", 1)
    assert len(await bench.advance(86_000)) > 1000
    assert bench.given_up == []
    await bench.advance(1000)
    assert len(bench.given_up) == 1
    bench.function.answer = lambda _: Outcome()
    bench.log.write("a", 2)
    assert await bench.settle() == [["a2"]]


@pytest.mark.fact("C.streams.start")
@pytest.mark.parametrize(("latest", "handed_over"), [(True, []), (False, [["a1"]])])
async def test_a_new_mapping_begins_where_it_is_told_to(
    tmp_path: Path,
    latest: bool,  # noqa: FBT001 - an example
    handed_over: list[Told],
) -> None:
    bench = Bench(tmp_path, source(starts_at_latest=latest))
    bench.log.write("a", 1)
    await bench.start()
    assert await bench.settle() == handed_over
    bench.log.write("a", 2)
    assert await bench.settle() == [["a2"]]
    await bench.stop()


@pytest.mark.fact("C.streams.start")
async def test_after_a_stop_it_goes_on_where_it_was(tmp_path: Path) -> None:
    bench = await Bench(tmp_path, source(batch_size=1)).start()
    bench.function.answer = failing("a2")
    for number in (1, 2, 3):
        bench.log.write("a", number)
    assert await bench.settle() == [["a1"], ["a2"]]
    await bench.streams.stop()
    bench.log.write("a", 4)
    await bench.streams.save(tmp_path / "streams.json")
    assert bench.log.is_closed
    assert bench.taken() == []
    again = await Bench(tmp_path, source(batch_size=1)).start()
    assert await again.settle() == [["a2"], ["a3"], ["a4"]]
    await again.stop()


async def test_what_several_lanes_left_is_in_order_again_for_one(tmp_path: Path) -> None:
    bench = await Bench(tmp_path, source(factor=10)).start()
    bench.function.answer = lambda _: ERROR
    for number in range(30):
        bench.log.write(f"p/{number}", number)
    await bench.settle()
    await bench.stop()
    again = await Bench(tmp_path, source()).start()
    assert await again.settle() == [[f"p{number}" for number in range(30)]]
    await again.stop()


async def test_what_is_left_is_kept_even_when_the_stream_does_not_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = await Bench(tmp_path, source()).start()
    bench.function.answer = lambda _: ERROR
    bench.log.write("a", 1)
    await bench.settle()
    bench.log.is_broken = True
    await bench.stop()
    assert "streams could not be read to their end: gone" in capsys.readouterr().err
    again = await Bench(tmp_path, source()).start()
    assert await again.settle() == [["a1"]]
    await again.stop()


async def test_what_runs_at_a_stop_is_handed_over_again(tmp_path: Path) -> None:
    bench = await Bench(tmp_path, source(most_retries=0)).start()
    bench.log.write("a", 1)

    def stopping(_: Told) -> Outcome:
        for delivery in bench.streams.reads[0].deliveries:
            delivery.stop()
        return ERROR

    bench.function.answer = stopping
    assert await bench.settle() == [["a1"]]
    await bench.stop()
    assert bench.given_up == []
    again = await Bench(tmp_path, source()).start()
    assert await again.settle() == [["a1"]]
    await again.stop()


async def test_after_a_stop_nothing_is_handed_over_for_the_first_time_either(
    tmp_path: Path,
) -> None:
    bench = await Bench(tmp_path, source()).start()
    await bench.streams.stop()
    bench.log.write("a", 1)
    await bench.streams.save(tmp_path / "streams.json")
    assert await bench.settle() == []
    again = await Bench(tmp_path, source()).start()
    assert await again.settle() == [["a1"]]
    await again.stop()


async def test_what_is_kept_of_a_mapping_that_is_switched_off_stays_kept(tmp_path: Path) -> None:
    bench = await Bench(tmp_path, source("A"), source("B")).start()
    bench.function.answer = lambda _: ERROR
    bench.log.write("a", 1)
    await bench.settle()
    await bench.stop()
    without = await Bench(tmp_path, source("B")).start()
    await without.settle()
    await without.stop()
    again = await Bench(tmp_path, source("A")).start()
    assert await again.settle() == [["a1"]]
    await again.stop()


async def test_two_functions_read_one_stream_each_at_its_own_pace(make: Make) -> None:
    bench = await make(source("A"), source("B", batch_size=1))
    bench.log.write("a", 1)
    bench.log.write("a", 2)
    assert sorted(await bench.settle()) == [["a1"], ["a1", "a2"], ["a2"]]
    assert bench.log.reads < 6


# -- the switches ----------------------------------------------------------------------


@pytest.mark.fact("C.streams.twice")
async def test_doubled_a_batch_comes_again_before_anything_newer(make: Make) -> None:
    bench = await make(source(batch_size=2), faults=Faults(stream_doubled=1.0))
    for number in (1, 2, 3):
        bench.log.write("a", number)
    assert await bench.advance(60) == [["a1", "a2"], ["a1", "a2"], ["a3"], ["a3"]]


async def test_late_records_come_later_and_still_in_order(make: Make) -> None:
    bench = await make(source(), faults=Faults(stream_late=0.5, stream_late_ms=10_000))
    for number in range(20):
        bench.log.write("a", number)
    at_once = await bench.settle()
    assert sum(len(told) for told in at_once) < 20
    later = await bench.advance(10)
    assert [one for told in at_once + later for one in told] == [f"a{n}" for n in range(20)]


async def test_what_is_ready_does_not_take_along_what_is_late(make: Make) -> None:
    faults = Faults(stream_late=0.5)
    bench = await make(source(), faults=faults)

    def lates(seed: int) -> list[bool]:
        chance = Chance(faults, seed)
        return [chance.late_ms("stream") > 0 for _ in range(3)]

    bench.chance.restart(faults, next(n for n in range(99) if lates(n) == [False, True, False]))
    for number in range(3):
        bench.log.write("a", number)
    assert await bench.settle() == [["a0"]]
    assert await bench.advance(5) == [["a1", "a2"]]


async def test_a_second_coming_that_a_stop_prevents_does_not_come_later(tmp_path: Path) -> None:
    faults = Faults(stream_doubled=1.0)
    bench = Bench(tmp_path, source(), faults=faults)
    later = next(seed for seed in range(99) if Chance(faults, seed).again_ms("stream"))
    bench.chance.restart(faults, later)
    await bench.start()
    bench.log.write("a", 1)
    assert await bench.settle() == [["a1"]]
    await bench.stop()
    again = await Bench(tmp_path, source()).start()
    assert await again.advance(60) == []
    await again.stop()


async def test_shuffled_only_partitions_change_places_and_a_batch_is_in_order(make: Make) -> None:
    bench = await make(source(batch_size=3), faults=Faults(stream_order="shuffled"))
    written = [f"{partition}{number}" for number in range(4) for partition in "abcdefgh"]
    for one in written:
        bench.log.write(one[0], int(one[1]))
    handed_over = await bench.settle()
    came = [one for told in handed_over for one in told]
    assert sorted(came) == sorted(written)
    assert came != written
    for partition in "abcdefgh":
        assert [one for one in came if one[0] == partition] == [
            f"{partition}{number}" for number in range(4)
        ]
    for told in handed_over:
        assert told == sorted(told, key=written.index)


@pytest.mark.parametrize("item", list("abcdefgh"))
async def test_switched_over_in_the_middle_an_item_keeps_its_order(make: Make, item: str) -> None:
    bench = await make(source(batch_size=1))
    bench.function.answer = failing(f"{item}1")
    bench.log.write(item, 1)
    await bench.settle()
    bench.chance.restart(Faults(stream_order="shuffled"), 1)
    for number in (2, 3):
        bench.log.write(item, number)
    assert await bench.settle() == []
    bench.function.answer = failing()
    assert await bench.advance(60) == [[f"{item}1"], [f"{item}2"], [f"{item}3"]]


def read_of(record: Any) -> str:  # noqa: ANN401 - a record
    return str(record["eventSourceARN"])


@pytest.mark.fact("C.streams.arn")
async def test_records_name_the_stream_as_the_template_does(make: Make) -> None:
    bench = await make(source())
    bench.log.write("a", 1)
    await bench.settle()
    assert [read_of(one) for one in bench.function.events[0]["Records"]] == [source().stream_arn]
