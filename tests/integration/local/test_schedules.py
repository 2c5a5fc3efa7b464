"""Days of schedules and retries, in a running system with real processes and AWS clients."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import aiohttp
import boto3
import pytest

from infra.local.stack import Stack

TEMPLATE = Path(__file__).parent / "schedules.yaml"
MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS
RETRIES_MS = 3 * MINUTE_MS


class Office:
    """The running system, and what its functions told of themselves."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.sqs = client(stack, "sqs", stack.sqs_endpoint)
        self.functions = client(stack, "lambda", stack.lambda_endpoint)

    def take(self, queue: str = "Seen") -> list[dict[str, Any]]:
        """Return what lies in a queue, oldest first, and empty it."""
        url, taken = self.stack.queue_url(queue), []
        while messages := self.sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=10, MessageAttributeNames=["All"]
        ).get("Messages", []):
            for one in messages:
                self.sqs.delete_message(QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])
                attributes = one.get("MessageAttributes", {})
                taken.append({**json.loads(one["Body"]), "attributes": attributes})
        return taken

    def invoke(self, function: str, event: Any, kind: str = "RequestResponse") -> dict[str, Any]:  # noqa: ANN401 - any JSON
        """Return the answer to Invoke, its payload read."""
        answer = self.functions.invoke(
            FunctionName=self.stack.function_name(function),
            InvocationType=kind,
            Payload=json.dumps(event),
        )
        payload = answer["Payload"].read()
        return {**answer, "Payload": json.loads(payload) if payload else None}

    def advance_to(self, moment: str) -> None:
        self.stack.advance(at(moment) - self.stack.now())


def client(stack: Stack, service: str, endpoint: str) -> Any:  # noqa: ANN401 - made at run time
    make: Any = boto3.client
    return make(
        service,
        endpoint_url=endpoint,
        region_name=stack.region,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def at(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp() * 1000)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    state = tmp_path_factory.mktemp("office")
    with Stack.start(template=TEMPLATE, state=state, test_clock=True) as stack:
        office = Office(stack)
        office.advance_to("2027-03-12T00:00:00Z")  # a Friday
        office.take()
        yield office


@pytest.mark.fact("C.rule.utc", "C.cron.names", "C.schedules.precision")
@pytest.mark.fact("C.scheduler.zone", "C.scheduler.skipped", "C.scheduler.attributes")
def test_nights_pass_on_workdays_and_where_clocks_are_changed(office: Office) -> None:
    office.stack.advance(5 * DAY_MS)
    seen = office.take()
    assert [one["event"]["time"] for one in seen if "time" in one["event"]] == [
        "2027-03-12T03:00:00Z",
        "2027-03-15T03:00:00Z",
        "2027-03-16T03:00:00Z",
    ]
    zoned = [one["event"]["zoned"] for one in seen if "zoned" in one["event"]]
    assert zoned == [
        "2027-03-12T10:30:00Z",
        "2027-03-13T10:30:00Z",
        # On the 14th there is no 2:30 in Los Angeles.
        "2027-03-15T09:30:00Z",
        "2027-03-16T09:30:00Z",
    ]
    assert [one["time"] for one in seen if "zoned" in one["event"]] == [at(one) for one in zoned]


@pytest.mark.fact("C.async.retries", "C.async.same-request", "C.async.any-error")
@pytest.mark.fact("C.async.failure-record", "C.async.record-arn", "C.invoke.event")
@pytest.mark.fact("C.async.dead-letter", "C.async.dead-letter-attributes", "C.async.both-told")
def test_an_event_that_fails_is_retried_and_then_told_of(office: Office) -> None:
    start, event = office.stack.now(), {"fails": True}
    assert office.invoke("Failing", event, "Event")["StatusCode"] == 202
    office.stack.advance(RETRIES_MS)
    seen = office.take()
    assert [one["time"] - start for one in seen] == [0, MINUTE_MS, RETRIES_MS]
    (request_id,) = {one["request"] for one in seen}
    (told,) = office.take("Told")
    assert told["requestContext"] == {
        "requestId": request_id,
        "functionArn": "arn:aws:lambda:us-east-1:000000000000:function:local-Failing:$LATEST",
        "condition": "RetriesExhausted",
        "approximateInvokeCount": 3,
    }
    assert told["requestPayload"] == event
    answer = told["responsePayload"]
    assert list(answer) == ["errorMessage", "errorType", "requestId", "stackTrace"]
    assert (answer["errorMessage"], answer["errorType"]) == ("it broke", "ValueError")
    (frame,) = answer["stackTrace"]
    assert 'in fail\n    raise ValueError("it broke")\n' in frame
    (letter,) = office.take("Letters")
    attributes = letter.pop("attributes")
    assert letter == event
    assert {name: one["StringValue"] for name, one in attributes.items()} == {
        "RequestID": request_id,
        "ErrorCode": "200",
        "ErrorMessage": "it broke",
    }


@pytest.mark.fact("C.async.success-record")
def test_an_event_that_works_is_told_of_too(office: Office) -> None:
    office.invoke("Failing", {"works": True}, "Event")
    office.stack.settle()
    (told,) = office.take("Told")
    assert told["requestContext"]["condition"] == "Success"
    assert told["responsePayload"] == "well done"
    assert office.take("Letters") == []
    office.take()


@pytest.mark.fact("C.invoke.event", "C.invoke.names")
def test_a_function_invokes_itself_without_waiting(office: Office) -> None:
    office.invoke("Asking", {"steps": 3}, "Event")
    office.stack.settle()
    assert [one["event"]["steps"] for one in office.take()] == [3, 2, 1, 0]


@pytest.mark.fact("C.invoke.waited-for", "C.invoke.function-error")
@pytest.mark.parametrize(("works", "error"), [(True, None), (False, "Unhandled")])
def test_a_function_waits_for_another(office: Office, *, works: bool, error: str | None) -> None:
    answer = office.invoke("Asking", {"name": "local-Failing", "event": {"works": works}})
    assert answer["Payload"]["error"] == error
    payload = answer["Payload"]["payload"]
    assert payload == "well done" if works else payload["errorType"] == "ValueError"
    office.take()


@pytest.mark.fact("C.invoke.function-error", "C.async.any-error")
def test_a_function_that_takes_too_long_is_an_error(office: Office) -> None:
    answer = office.invoke("Slow", {})
    assert answer["FunctionError"] == "Unhandled"
    assert answer["Payload"]["errorType"] == "Sandbox.Timedout"
    assert answer["Payload"]["errorMessage"].endswith("Task timed out after 1.00 seconds")


async def test_functions_are_invoked_from_this_machine_only(office: Office) -> None:
    name = office.stack.function_name("Failing")
    url = f"{office.stack.lambda_endpoint}/2015-03-31/functions/{name}/invocations"
    async with (
        aiohttp.ClientSession() as http,
        http.post(url, json={}, headers={"Host": "elsewhere.example"}) as answer,
    ):
        assert answer.status == 403
    assert office.take() == []


@pytest.mark.fact("C.at.once")
def test_a_year_passes_to_one_day_that_is_named(office: Office) -> None:
    """One advance over a year, with more than six hundred runs in it."""
    office.advance_to("2028-03-01T00:00:00Z")
    leaps = [one["time"] for one in office.take() if "leap" in one["event"]]
    assert leaps == [at("2028-02-29T12:00:00Z")]


def test_a_retry_is_made_after_a_restart(tmp_path: Path) -> None:
    with Stack.start(template=TEMPLATE, state=tmp_path, test_clock=True) as stack:
        before = Office(stack)
        before.invoke("Failing", {"fails": True}, "Event")
        stack.advance(MINUTE_MS)
        requests = [one["request"] for one in before.take()]
    with Stack.start(template=TEMPLATE, state=tmp_path, test_clock=True) as stack:
        after = Office(stack)
        stack.advance(2 * MINUTE_MS)
        requests += [one["request"] for one in after.take()]
        (told,) = after.take("Told")
    assert len(requests) == 3
    assert set(requests) == {told["requestContext"]["requestId"]}
