"""Invoke through a real AWS client against the endpoint alone."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from aiohttp import web
from botocore.exceptions import ClientError

from infra.local.lambdas.functions import read_functions
from infra.local.lambdas.invocation import Outcome, timed_out
from infra.local.lambdas.invoke_api import LambdaEndpoint
from infra.local.sources.asynchronous import Asynchronous
from tests.unit.local.sources.bench import FAILED, Bench, function, read

NAME = "local-Bell"
PARTIAL = f"000000000000:function:{NAME}"
ARN = f"arn:aws:lambda:us-east-1:{PARTIAL}"
MEGABYTE = 1024 * 1024
ALIAS = (
    "  Live: {Type: AWS::Lambda::Alias, Properties:"
    " {FunctionName: !Ref Bell, FunctionVersion: 1, Name: live}}\n"
)


class Lambda(Bench):
    """The endpoint, and a client that talks to it from a thread."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        template = read(folder, ALIAS)
        functions = read_functions(template)
        asynchronous = Asynchronous(functions, self.tools)
        self.endpoint = LambdaEndpoint.of(template, functions, asynchronous, self.tools)
        self.client: Any = None

    async def handle(self, request: web.BaseRequest) -> web.Response:
        return await self.endpoint.answer(request, request.path.removeprefix("/_lambda/"))

    async def invoke(self, name: str = NAME, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - as the client takes them
        """Return the client's answer, the payload read."""
        answer = await asyncio.to_thread(self.client.invoke, FunctionName=name, **parameters)
        return {**answer, "Payload": answer["Payload"].read()}

    async def refused(self, name: str = NAME, **parameters: Any) -> tuple[str, int, str]:  # noqa: ANN401 - the same
        """Return code, status and message of what the client raises."""
        with pytest.raises(ClientError) as refused:
            await self.invoke(name, **parameters)
        response: Any = refused.value.response
        status = response["ResponseMetadata"]["HTTPStatusCode"]
        return response["Error"]["Code"], status, response["Error"]["Message"]


@pytest.fixture
async def lambdas(tmp_path: Path) -> AsyncIterator[Lambda]:
    lambdas = Lambda(tmp_path)
    runner = web.ServerRunner(web.Server(lambdas.handle))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    make: Any = boto3.client
    lambdas.client = make(
        "lambda",
        endpoint_url=f"http://{host}:{port}/_lambda",
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    yield lambdas
    await runner.cleanup()


@pytest.mark.fact("C.invoke.waited-for")
async def test_what_is_waited_for_is_answered_with_what_the_function_returned(
    lambdas: Lambda,
) -> None:
    lambdas.functions.outcomes.append(Outcome(value={"grüß": ["dich"]}))
    answer = await lambdas.invoke(Payload=b'{"table": 7}')
    assert (answer["StatusCode"], answer["ExecutedVersion"]) == (200, "$LATEST")
    assert json.loads(answer["Payload"]) == {"grüß": ["dich"]}
    assert "FunctionError" not in answer
    (run,) = lambdas.runs
    assert run.event == {"table": 7}
    assert run.request_id == answer["ResponseMetadata"]["RequestId"]


@pytest.mark.fact("C.invoke.function-error")
async def test_an_error_of_the_function_is_no_error_of_the_request(lambdas: Lambda) -> None:
    lambdas.functions.outcomes.append(FAILED)
    answer = await lambdas.invoke()
    assert (answer["StatusCode"], answer["FunctionError"]) == (200, "Unhandled")
    assert json.loads(answer["Payload"]) == {
        "errorMessage": "it broke",
        "errorType": "ValueError",
        "requestId": lambdas.runs[0].request_id,
        "stackTrace": ['  File "app.py"\n'],
    }
    await lambdas.advance(3600)
    assert len(lambdas.runs) == 1  # who waits tries again himself, or does not


@pytest.mark.fact("C.invoke.function-error")
async def test_a_time_out_tells_the_request_and_has_no_trace(lambdas: Lambda) -> None:
    lambdas.functions.outcomes.append(timed_out(function()))
    told = json.loads((await lambdas.invoke())["Payload"])
    request_id = lambdas.runs[0].request_id
    assert told == {
        "errorType": "Sandbox.Timedout",
        "errorMessage": f"RequestId: {request_id} Error: Task timed out after 3.00 seconds",
    }


@pytest.mark.fact("C.invoke.event", "C.async.retries")
async def test_an_event_is_accepted_and_tried_as_nobody_waits_for_it(lambdas: Lambda) -> None:
    lambdas.functions.outcomes.extend([FAILED, FAILED])
    answer = await lambdas.invoke(InvocationType="Event", Payload=b"[1]")
    assert (answer["StatusCode"], answer["Payload"]) == (202, b"")
    assert "ExecutedVersion" not in answer
    await lambdas.advance(3600)
    assert [run.after_ms for run in lambdas.runs] == [0, 60_000, 180_000]
    request_id = answer["ResponseMetadata"]["RequestId"]
    assert [(run.request_id, run.event) for run in lambdas.runs] == [(request_id, [1])] * 3


@pytest.mark.fact("C.invoke.dry-run")
async def test_a_dry_run_runs_nothing(lambdas: Lambda) -> None:
    answer = await lambdas.invoke(InvocationType="DryRun", Payload=b"{}")
    await lambdas.advance(60)
    assert (answer["StatusCode"], lambdas.runs) == (204, [])


@pytest.mark.fact("C.invoke.names")
@pytest.mark.parametrize("name", [NAME, PARTIAL, ARN])
@pytest.mark.parametrize("suffix", ["", ":$LATEST", ":live"])
async def test_a_function_has_several_names(lambdas: Lambda, name: str, suffix: str) -> None:
    assert (await lambdas.invoke(name + suffix))["StatusCode"] == 200


@pytest.mark.fact("C.invoke.names")
@pytest.mark.parametrize("qualifier", ["$LATEST", "live"])
async def test_the_qualifier_may_be_given_apart(lambdas: Lambda, qualifier: str) -> None:
    assert (await lambdas.invoke(Qualifier=qualifier))["StatusCode"] == 200
    assert (await lambdas.invoke(f"{NAME}:{qualifier}", Qualifier=qualifier))["StatusCode"] == 200
    code, status, _ = await lambdas.refused(f"{NAME}:{qualifier}", Qualifier="other")
    assert (code, status) == ("InvalidParameterValueException", 400)


@pytest.mark.fact("C.invoke.not-found")
@pytest.mark.parametrize(
    ("name", "missing"),
    [("nobody", "nobody"), ("Bell", "Bell"), (f"{NAME}:dead", f"{NAME}:dead")],
)
async def test_what_does_not_exist_raises_the_exception_of_that_name(
    lambdas: Lambda, name: str, missing: str
) -> None:
    with pytest.raises(lambdas.client.exceptions.ResourceNotFoundException) as refused:
        await lambdas.invoke(name)
    response: Any = refused.value.response
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 404
    assert response["Error"]["Message"] == (
        f"Function not found: arn:aws:lambda:us-east-1:000000000000:function:{missing}"
    )


@pytest.mark.fact("C.invoke.not-json")
async def test_what_is_not_json_is_refused(lambdas: Lambda) -> None:
    with pytest.raises(lambdas.client.exceptions.InvalidRequestContentException):
        await lambdas.invoke(Payload=b"no")
    code, status, message = await lambdas.refused(Payload=b"\xff", InvocationType="Event")
    assert (code, status) == ("InvalidRequestContentException", 400)
    assert message.startswith("Could not parse request body into json")
    assert lambdas.runs == []


@pytest.mark.fact("C.invoke.no-payload")
async def test_without_a_payload_the_event_is_empty(lambdas: Lambda) -> None:
    await lambdas.invoke()
    assert lambdas.runs[0].event == {}


@pytest.mark.fact("C.invoke.limits", "C.invoke.too-large-by-name")
@pytest.mark.parametrize(("kind", "most"), [("RequestResponse", 6 * MEGABYTE), ("Event", MEGABYTE)])
async def test_a_payload_has_a_limit(lambdas: Lambda, kind: str, most: int) -> None:
    fits = json.dumps("x" * (most - 2)).encode()
    assert (await lambdas.invoke(InvocationType=kind, Payload=fits))["StatusCode"] in {200, 202}
    code, status, _ = await lambdas.refused(InvocationType=kind, Payload=fits + b" ")
    assert (code, status) == ("RequestEntityTooLargeException", 413)


@pytest.mark.parametrize(
    "parameters", [{"LogType": "Tail"}, {"ClientContext": "e30="}, {"InvocationType": "Later"}]
)
async def test_what_is_not_served_is_refused(lambdas: Lambda, parameters: dict[str, str]) -> None:
    code, status, _ = await lambdas.refused(**parameters)
    assert (code, status) == ("InvalidParameterValueException", 400)
    assert lambdas.runs == []


async def test_other_operations_are_refused(lambdas: Lambda) -> None:
    with pytest.raises(ClientError, match="is not served here"):
        await asyncio.to_thread(lambdas.client.list_functions)


async def test_an_invocation_that_is_waited_for_is_in_flight(lambdas: Lambda) -> None:
    await lambdas.invoke()
    assert lambdas.runs[0].in_flight == 1
    assert lambdas.quiet.count == 0
