"""What becomes of events that nobody waits for: retries, ages, destinations, dead letters."""

import json
from pathlib import Path
from typing import Any

import pytest

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.faults import Faults
from infra.local.lambdas.functions import Functions, read_functions
from infra.local.lambdas.invocation import FunctionError, Outcome, timed_out
from infra.local.sources.asynchronous import Asynchronous
from infra.local.sources.queue_specs import read_queues
from infra.local.sources.queues import Queues
from infra.local.sources.unattended import Unattended
from tests.unit.local.sources.bench import FAILED, START, Bench, function, read

ARN = "arn:aws:lambda:us-east-1:000000000000:function:local-Bell"
EVENT = {"table": 7}
MINUTE = 60


class Waiting(Bench):
    """The asynchronous invocation of one function, by a template's configuration."""

    def __init__(self, folder: Path, config: str = "", letters: str = "", rest: str = "") -> None:
        super().__init__(folder)
        post = "  Post: {Type: AWS::SQS::Queue}\n"
        template = read(folder, post + config + rest, bell=letters)
        self.queues = Queues(read_queues(template), self.clock)
        functions: Functions = read_functions(template)
        unattended = Unattended.of(template, functions, self.queues, self.tools)
        self.asynchronous: Asynchronous = unattended.asynchronous

    def send(self, event: Any = EVENT, qualifier: str = "$LATEST") -> str:  # noqa: ANN401 - any JSON
        return self.asynchronous.send(function(), event, qualifier)

    def fail(self, times: int, outcome: Outcome = FAILED) -> None:
        self.functions.outcomes.extend([outcome] * times)

    @property
    def posted(self) -> list[dict[str, Any]]:
        """The messages of the queue, oldest first; their bodies are JSON."""
        messages = self.queues.by_name["local-Post"].messages.values()
        return [{"body": json.loads(one.body), "is": dict(one.attributes)} for one in messages]

    @property
    def instants(self) -> list[float]:
        return [run.after_ms / 1000 for run in self.runs]


def config(qualifier: str = "$LATEST", **properties: str) -> str:
    """Return an EventInvokeConfig of the function."""
    lines = "".join(f"      {name}: {value}\n" for name, value in properties.items())
    return (
        "  Config:\n    Type: AWS::Lambda::EventInvokeConfig\n    Properties:\n"
        f"      FunctionName: !Ref Bell\n      Qualifier: {qualifier}\n{lines}"
    )


BOTH = "{OnSuccess: {Destination: !GetAtt Post.Arn}, OnFailure: {Destination: !GetAtt Post.Arn}}"
LETTERS = ", DeadLetterConfig: {TargetArn: !GetAtt Post.Arn}"


async def test_an_event_that_is_handled_is_handled_once(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path)
    waiting.send()
    await waiting.advance(7 * 3600)
    assert [(run.function, run.event) for run in waiting.runs] == [("Bell", EVENT)]


@pytest.mark.fact("C.async.retries", "C.async.same-request")
async def test_a_failed_event_is_tried_again_after_one_minute_and_then_two(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path)
    waiting.fail(9)
    request_id = waiting.send()
    await waiting.advance(59.999)
    assert waiting.instants == [0]
    await waiting.advance(7 * 3600)
    assert waiting.instants == [0, MINUTE, 3 * MINUTE]
    assert {run.request_id for run in waiting.runs} == {request_id}
    assert [run.event for run in waiting.runs] == [EVENT] * 3


async def test_after_a_retry_that_works_there_is_no_other(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path)
    waiting.fail(1)
    waiting.send()
    await waiting.advance(3600)
    assert waiting.instants == [0, MINUTE]


@pytest.mark.fact("C.async.any-error")
@pytest.mark.parametrize(
    "outcome",
    [FAILED, timed_out(function()), Outcome(error=FunctionError("Runtime.ExitError", ""))],
)
async def test_every_kind_of_error_is_retried(tmp_path: Path, outcome: Outcome) -> None:
    waiting = Waiting(tmp_path)
    waiting.fail(1, outcome)
    waiting.send()
    await waiting.advance(MINUTE)
    assert waiting.instants == [0, MINUTE]


@pytest.mark.fact("C.async.retry-attempts")
@pytest.mark.parametrize("most", [0, 1, 2])
async def test_the_number_of_retries_is_configured(tmp_path: Path, most: int) -> None:
    waiting = Waiting(tmp_path, config(MaximumRetryAttempts=str(most)))
    waiting.fail(9)
    waiting.send()
    await waiting.advance(3600)
    assert len(waiting.runs) == most + 1


@pytest.mark.fact("C.async.event-age", "C.async.age-is-not-waited-for")
@pytest.mark.parametrize(("age", "instants"), [(60, [0]), (61, [0, 60]), (180, [0, 60])])
async def test_what_would_be_too_old_at_its_next_attempt_is_given_up_at_once(
    tmp_path: Path, age: int, instants: list[int]
) -> None:
    given = config(MaximumEventAgeInSeconds=str(age), DestinationConfig=BOTH)
    waiting = Waiting(tmp_path, given)
    waiting.fail(9)
    waiting.send()
    await waiting.advance(instants[-1])
    (posted,) = waiting.posted
    assert posted["body"]["requestContext"]["condition"] == "EventAgeExceeded"
    assert posted["body"]["requestContext"]["approximateInvokeCount"] == len(instants)
    assert posted["body"]["responsePayload"]["errorMessage"] == "it broke"
    await waiting.advance(3600)
    assert waiting.instants == instants


@pytest.mark.fact("C.async.success-record", "C.async.record-arn")
async def test_success_is_told_with_what_was_asked_and_answered(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path, config(DestinationConfig=BOTH))
    waiting.functions.outcomes.append(Outcome(value=["done"]))
    request_id = waiting.send()
    await waiting.advance(0)
    assert [one["body"] for one in waiting.posted] == [
        {
            "version": "1.0",
            "timestamp": "2027-01-15T08:00:00.000Z",
            "requestContext": {
                "requestId": request_id,
                "functionArn": f"{ARN}:$LATEST",
                "condition": "Success",
                "approximateInvokeCount": 1,
            },
            "requestPayload": EVENT,
            "responseContext": {"statusCode": 200, "executedVersion": "$LATEST"},
            "responsePayload": ["done"],
        }
    ]


@pytest.mark.fact("C.async.failure-record", "C.async.record-arn")
async def test_failure_is_told_when_no_attempt_is_left(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path, config(DestinationConfig=BOTH))
    waiting.fail(9)
    request_id = waiting.send()
    await waiting.advance(3 * MINUTE - 0.001)
    assert waiting.posted == []
    await waiting.advance(0.001)
    (posted,) = waiting.posted
    assert posted["body"] == {
        "version": "1.0",
        "timestamp": "2027-01-15T08:03:00.000Z",
        "requestContext": {
            "requestId": request_id,
            "functionArn": f"{ARN}:$LATEST",
            "condition": "RetriesExhausted",
            "approximateInvokeCount": 3,
        },
        "requestPayload": EVENT,
        "responseContext": {
            "statusCode": 200,
            "executedVersion": "$LATEST",
            "functionError": "Unhandled",
        },
        "responsePayload": {
            "errorMessage": "it broke",
            "errorType": "ValueError",
            "requestId": request_id,
            "stackTrace": ['  File "app.py"\n'],
        },
    }


@pytest.mark.fact("C.async.success-record", "C.async.failure-record")
@pytest.mark.parametrize(
    ("outcome", "told"), [("OnSuccess", ["Success"]), ("OnFailure", ["RetriesExhausted"])]
)
async def test_a_destination_is_told_of_its_own_outcome_only(
    tmp_path: Path, outcome: str, told: list[str]
) -> None:
    destination = f"{{{outcome}: {{Destination: !GetAtt Post.Arn}}}}"
    waiting = Waiting(tmp_path, config(DestinationConfig=destination))
    waiting.fail(3)
    waiting.send()
    await waiting.advance(3 * MINUTE)
    waiting.send()
    await waiting.advance(0)
    assert [one["body"]["requestContext"]["condition"] for one in waiting.posted] == told


@pytest.mark.fact("C.async.function-destination")
async def test_a_destination_can_be_a_function(tmp_path: Path) -> None:
    other = (
        "  Other: {Type: AWS::Lambda::Function, Properties: {Runtime: python3.13, Code: .,"
        " Handler: app.other, Role: r}}\n"
    )
    destination = "{OnSuccess: {Destination: !GetAtt Other.Arn}}"
    waiting = Waiting(tmp_path, config(DestinationConfig=destination), rest=other)
    waiting.send()
    await waiting.advance(0)
    assert [run.function for run in waiting.runs] == ["Bell", "Other"]
    assert waiting.runs[1].event["requestContext"]["condition"] == "Success"


@pytest.mark.fact("C.async.of-an-alias")
async def test_a_configuration_is_for_one_alias(tmp_path: Path) -> None:
    alias = (
        "  Live: {Type: AWS::Lambda::Alias, Properties:"
        " {FunctionName: !Ref Bell, FunctionVersion: 1, Name: live}}\n"
    )
    given = config("live", MaximumRetryAttempts="0", DestinationConfig=BOTH)
    waiting = Waiting(tmp_path, given, rest=alias)
    waiting.fail(9)
    waiting.send(qualifier="live")
    await waiting.advance(MINUTE)
    assert waiting.instants == [0]
    assert waiting.posted[0]["body"]["requestContext"]["functionArn"] == f"{ARN}:live"
    waiting.send(qualifier="$LATEST")
    await waiting.advance(MINUTE)
    assert waiting.instants == [0, MINUTE, 2 * MINUTE]


@pytest.mark.fact("C.async.dead-letter", "C.async.dead-letter-attributes")
async def test_what_was_given_up_is_a_dead_letter(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path, letters=LETTERS)
    waiting.fail(9)
    request_id = waiting.send()
    await waiting.advance(3 * MINUTE)
    assert waiting.posted == [
        {
            "body": EVENT,
            "is": {
                "RequestID": {"DataType": "String", "StringValue": request_id},
                "ErrorCode": {"DataType": "Number", "StringValue": "200"},
                "ErrorMessage": {"DataType": "String", "StringValue": "it broke"},
            },
        }
    ]


@pytest.mark.fact("C.async.dead-letter-attributes")
@pytest.mark.parametrize(("message", "kept"), [("é" * 1000, "é" * 512), ("", None)])
async def test_a_dead_letter_holds_the_first_kilobyte_of_the_error(
    tmp_path: Path, message: str, kept: str | None
) -> None:
    waiting = Waiting(tmp_path, letters=LETTERS)
    waiting.fail(3, Outcome(error=FunctionError("ValueError", message)))
    waiting.send()
    await waiting.advance(3 * MINUTE)
    assert waiting.posted[0]["is"].get("ErrorMessage", {}).get("StringValue") == kept


@pytest.mark.fact("C.async.both-told")
async def test_dead_letters_and_a_destination_are_both_told(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path, config(DestinationConfig=BOTH), letters=LETTERS)
    waiting.fail(3)
    waiting.send()
    await waiting.advance(3 * MINUTE)
    assert [one["body"] == EVENT for one in waiting.posted] == [True, False]


@pytest.mark.fact("C.async.twice")
async def test_an_event_comes_twice_only_if_that_is_switched_on(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path)
    waiting.send()
    waiting.tools.chance.restart(Faults(tick_doubled=1.0), seed=3)
    request_id = waiting.send({"again": True})
    await waiting.advance(MINUTE)
    assert [run.request_id for run in waiting.runs].count(request_id) == 2
    assert len(waiting.runs) == 3


@pytest.mark.fact("C.schedules.precision")
async def test_an_event_comes_late_if_that_is_switched_on(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path)
    waiting.tools.chance.restart(Faults(tick_late=1.0, tick_late_ms=5_000), seed=3)
    waiting.send()
    await waiting.advance(5)
    assert len(waiting.runs) == 1
    assert 0 < waiting.instants[0] <= 5


async def test_what_waits_for_a_retry_is_gone_on_with_after_a_restart(tmp_path: Path) -> None:
    before = Waiting(tmp_path)
    before.fail(1)
    request_id = before.send()
    await before.advance(30)
    before.asynchronous.stop(tmp_path / "unawaited.json")
    after = Waiting(tmp_path)
    after.clock.set(START + 30_000)
    after.asynchronous.restore(tmp_path / "unawaited.json")
    await after.advance(29.999)
    assert after.runs == []
    await after.advance(0.001)
    assert [(run.request_id, run.event) for run in after.runs] == [(request_id, EVENT)]


async def test_what_was_handled_is_not_saved(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path)
    waiting.fail(3)
    waiting.send()
    await waiting.advance(3 * MINUTE)
    waiting.send()
    await waiting.advance(0)
    waiting.asynchronous.stop(tmp_path / "unawaited.json")
    assert json.loads((tmp_path / "unawaited.json").read_text()) == []


async def test_an_attempt_that_a_stop_interrupts_does_not_count(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path, config(MaximumRetryAttempts="0"), letters=LETTERS)
    waiting.fail(1)
    waiting.send()
    waiting.asynchronous.stop(tmp_path / "unawaited.json")
    await waiting.advance(0)
    assert waiting.posted == []
    (saved,) = json.loads((tmp_path / "unawaited.json").read_text())
    assert (saved["event"], saved["attempts"]) == (EVENT, 0)


@pytest.mark.parametrize(
    ("given", "letters"),
    [
        (config(MaximumRetryAttempts="3"), ""),
        (config(MaximumRetryAttempts="-1"), ""),
        (config(MaximumEventAgeInSeconds="59"), ""),
        (config(MaximumEventAgeInSeconds="21601"), ""),
        (config(DestinationConfig="{OnFailure: {Destination: 'arn:aws:sns:r:0:t'}}"), ""),
        (config(DestinationConfig="{OnFailure: {Destination: 'arn:aws:sqs:r:0:none'}}"), ""),
        ("", ", DeadLetterConfig: {TargetArn: 'arn:aws:sns:r:0:t'}"),
    ],
)
@pytest.mark.fact("C.async.retry-attempts", "C.async.event-age")
async def test_what_is_wrong_or_not_served_is_refused_in_one_line(
    tmp_path: Path, given: str, letters: str
) -> None:
    with pytest.raises(TemplateError) as refused:
        Waiting(tmp_path, given, letters)
    assert "\n" not in str(refused.value)
