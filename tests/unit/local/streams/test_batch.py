"""What a function's answer to a batch of changes means."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infra.local.lambdas.functions import Function
from infra.local.lambdas.invocation import FunctionError, Outcome
from infra.local.streams.batch import Batch, after_failure, first_failed, without_expired
from infra.local.streams.changes import Change
from infra.local.streams.failures import failure_message
from infra.local.streams.mapping import StreamSource

NOW = 1_800_000_000_000
DAY_MS = 86_400_000
FUNCTION = Function("F", "f", "arn:f", "app.f", Path(), 3, 128, {})
STREAM = "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2025-01-01T00:00:00.000"
SOURCE = StreamSource("M", STREAM, "t", FUNCTION)
ERROR = Outcome(error=FunctionError("ValueError", "x"))


def change(sequence: str, created_at: int = NOW) -> Change:
    keys = {"id": {"S": sequence}}
    record = {"dynamodb": {"SequenceNumber": sequence, "Keys": keys}, "eventSourceARN": STREAM}
    return Change.of(record, created_at, created_at)


def batch(*sequences: str, **more: Any) -> Batch:  # noqa: ANN401 - fields of many types
    return Batch(tuple(change(one) for one in sequences), **more)


def told(batches: tuple[Batch, ...]) -> list[str]:
    return ["".join(one.sequence for one in each.changes) for each in batches]


@pytest.mark.fact("C.streams.partial.success")
@pytest.mark.parametrize(
    "value", [None, {}, {"batchItemFailures": []}, {"batchItemFailures": None}, ""]
)
def test_an_empty_answer_is_success(value: Any) -> None:  # noqa: ANN401 - whatever handlers return
    assert first_failed(batch("1", "2"), Outcome(value), reports_failures=True) is None


@pytest.mark.fact("C.streams.partial.failure")
@pytest.mark.parametrize(
    "failure",
    [{"itemIdentifier": ""}, {"itemIdentifier": None}, {"identifier": "2"}, {}, "2"],
)
def test_an_identifier_that_is_none_fails_the_whole_batch(failure: Any) -> None:  # noqa: ANN401 - the same
    outcome = Outcome({"batchItemFailures": [failure]})
    assert first_failed(batch("1", "2"), outcome, reports_failures=True) == 0


@pytest.mark.fact("C.streams.partial.unknown")
@pytest.mark.parametrize("value", [{"batchItemFailures": [{"itemIdentifier": "9"}]}, "done", [1]])
def test_an_unknown_identifier_or_a_malformed_answer_fails_the_whole_batch(value: Any) -> None:  # noqa: ANN401 - the same
    assert first_failed(batch("1", "2"), Outcome(value), reports_failures=True) == 0


@pytest.mark.fact("C.streams.partial.lowest")
def test_of_several_failures_the_lowest_sequence_number_counts() -> None:
    listed = [{"itemIdentifier": "3"}, {"itemIdentifier": "2"}, {"itemIdentifier": "4"}]
    outcome = Outcome({"batchItemFailures": listed})
    assert first_failed(batch("1", "2", "3", "4"), outcome, reports_failures=True) == 1


@pytest.mark.fact("C.streams.partial.only-if-asked")
def test_failures_are_not_looked_for_unless_the_mapping_says_so() -> None:
    outcome = Outcome({"batchItemFailures": [{"itemIdentifier": "1"}]})
    assert first_failed(batch("1"), outcome, reports_failures=False) is None
    assert first_failed(batch("1"), ERROR, reports_failures=False) == 0


@pytest.mark.fact("C.streams.partial.lowest")
def test_what_comes_from_the_first_failure_on_is_tried_again() -> None:
    following = after_failure(batch("1", "2", "3"), 1, SOURCE, NOW)
    assert told(following.batches) == ["23"]
    assert following.batches[0].due_at > NOW


@pytest.mark.fact("C.streams.retries.infinite")
def test_by_default_a_batch_is_tried_again_for_ever() -> None:
    following = after_failure(batch("1", failures=5000), 0, SOURCE, NOW)
    assert told(following.batches) == ["1"]
    assert following.discarded is None


@pytest.mark.fact("C.streams.retries.pauses")
def test_pauses_between_retries_double_up_to_a_minute() -> None:
    tried, pauses = batch("1"), []
    for _ in range(8):
        (tried,) = after_failure(tried, 0, SOURCE, NOW).batches
        pauses.append((tried.due_at - NOW) // 1000)
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]


@pytest.mark.fact("C.streams.retries.exhausted")
def test_a_batch_is_given_up_whole_after_its_retries() -> None:
    source = replace(SOURCE, most_retries=2)
    tried = batch("1", "2")
    for _ in range(2):
        (tried,) = after_failure(tried, 0, source, NOW).batches
    following = after_failure(tried, 0, source, NOW)
    assert following.batches == ()
    assert following.discarded is not None
    assert following.discarded.condition == "RetryAttemptsExhausted"
    assert told((following.discarded.batch,)) == ["12"]


@pytest.mark.fact("C.streams.retries.exhausted")
def test_without_retries_the_first_failure_gives_up() -> None:
    assert after_failure(batch("1"), 0, replace(SOURCE, most_retries=0), NOW).discarded is not None


@pytest.mark.fact("C.streams.retries.of-the-first")
def test_retries_are_counted_for_the_change_that_fails_first() -> None:
    source = replace(SOURCE, most_retries=1)
    following = after_failure(batch("1", "2", failures=1), 1, source, NOW)
    assert told(following.batches) == ["2"]
    assert following.batches[0].failures == 1
    assert after_failure(following.batches[0], 0, source, NOW).discarded is not None


@pytest.mark.fact("C.streams.bisect")
def test_bisecting_halves_a_failed_batch_and_uses_up_no_retry() -> None:
    source = replace(SOURCE, bisects=True, most_retries=0)
    following = after_failure(batch("1", "2", "3"), 0, source, NOW)
    assert told(following.batches) == ["12", "3"]
    assert following.discarded is None
    assert {one.failures for one in following.batches} == {0}


@pytest.mark.fact("C.streams.bisect")
def test_a_change_alone_is_not_bisected() -> None:
    source = replace(SOURCE, bisects=True, most_retries=0)
    discarded = after_failure(batch("1"), 0, source, NOW).discarded
    assert discarded is not None
    assert told((discarded.batch,)) == ["1"]


@pytest.mark.fact("C.streams.bisect.partial")
def test_with_partial_answers_the_batch_is_cut_where_the_answer_says() -> None:
    source = replace(SOURCE, bisects=True, reports_failures=True, most_retries=0)
    following = after_failure(batch("1", "2", "3", "4"), 1, source, NOW)
    assert told(following.batches) == ["234"]
    assert following.discarded is None
    assert told(after_failure(following.batches[0], 0, source, NOW).batches) == ["23", "4"]


@pytest.mark.fact("C.streams.age")
def test_what_is_too_old_is_not_handed_over() -> None:
    source = replace(SOURCE, most_age_s=60)
    old = Batch((change("1", NOW - 60_000), change("2", NOW - 59_999)))
    following = without_expired(old, source, NOW)
    assert told(following.batches) == ["2"]
    assert following.discarded is not None
    assert following.discarded.condition == "RecordAgeExceeded"
    assert told((following.discarded.batch,)) == ["1"]


@pytest.mark.fact("C.streams.retention")
@pytest.mark.parametrize("most_age_s", [None, 604_800])
def test_a_stream_keeps_nothing_longer_than_a_day(most_age_s: int | None) -> None:
    source = replace(SOURCE, most_age_s=most_age_s)
    assert without_expired(Batch((change("1", NOW - DAY_MS + 1),)), source, NOW).discarded is None
    assert without_expired(Batch((change("1", NOW - DAY_MS),)), source, NOW).batches == ()


@pytest.mark.fact("C.streams.on-failure.message")
def test_the_destination_is_told_where_the_changes_were_not_what_they_were() -> None:
    tried = batch("11", "12", invocations=3, last=ERROR, request_id="r")
    discarded = after_failure(tried, 0, replace(SOURCE, most_retries=0), NOW).discarded
    assert discarded is not None
    assert failure_message(discarded, FUNCTION, "shardId-1", NOW + 479) == {
        "requestContext": {
            "requestId": "r",
            "functionArn": "arn:f",
            "condition": "RetryAttemptsExhausted",
            "approximateInvokeCount": 3,
        },
        "responseContext": {
            "statusCode": 200,
            "executedVersion": "$LATEST",
            "functionError": "Unhandled",
        },
        "version": "1.0",
        "timestamp": "2027-01-15T08:00:00.479Z",
        "DDBStreamBatchInfo": {
            "shardId": "shardId-1",
            "startSequenceNumber": "11",
            "endSequenceNumber": "12",
            "approximateArrivalOfFirstRecord": "2027-01-15T08:00:00Z",
            "approximateArrivalOfLastRecord": "2027-01-15T08:00:00Z",
            "batchSize": 2,
            "streamArn": STREAM,
        },
    }


@pytest.mark.fact("C.streams.on-failure.message")
def test_a_partial_answer_is_no_error_of_the_function_and_no_invocation_has_no_answer() -> None:
    source = replace(SOURCE, most_retries=0)
    answered = batch("1", invocations=1, last=Outcome({}), request_id="r")
    discarded = after_failure(answered, 0, source, NOW).discarded
    assert discarded is not None
    message = failure_message(discarded, FUNCTION, "s", NOW)
    assert message["responseContext"] == {"statusCode": 200, "executedVersion": "$LATEST"}
    late = without_expired(batch("1"), SOURCE, NOW + DAY_MS).discarded
    assert late is not None
    assert "responseContext" not in failure_message(late, FUNCTION, "s", NOW)
