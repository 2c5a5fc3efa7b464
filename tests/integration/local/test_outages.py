"""Calls of AWS services that go wrong, seen by real AWS clients: what arrives, what happened."""

import json
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import aiohttp
import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError, ReadTimeoutError

from infra.local.call_faults import Mishap
from infra.local.faults import Chance, Faults
from infra.local.stack import Stack, StackError
from tests.integration.local.conftest import ear

LOOSE = Path(__file__).parent / "loose.yaml"
READ_TIMEOUT_S = 0.5
BEFORE = ("throttled", "failed")
AFTER = ("failed_after", "hung_up", "unanswered")
UNHEARD = {"hung_up": ConnectionClosedError, "unanswered": ReadTimeoutError}
CODES = {
    "dynamodb": {
        "throttled": {"ThrottlingException", "ProvisionedThroughputExceededException"},
        "failed": {"InternalServerError", "ServiceUnavailable"},
    },
    "sqs": {
        "throttled": {"RequestThrottled"},
        "failed": {"InternalFailure", "ServiceUnavailable"},
    },
    "connections": {
        "throttled": {"LimitExceededException"},
        "failed": {"InternalServerErrorException", "ServiceUnavailableException"},
    },
}
SERVER_FAULTS = {"failed", "failed_after"}
ENOUGH = 8
"""Calls after which either spelling has been seen, with the seed of the tests."""


@pytest.fixture(scope="module")
def unlucky(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    state = tmp_path_factory.mktemp("unlucky")
    front = ("--fault", "dynamodb-throttled=0")
    with Stack.start(template=LOOSE, state=state, arguments=front) as running:
        yield running


@pytest.fixture
def stack(unlucky: Stack) -> Stack:
    """The system with its switches as at the start."""
    unlucky.set_faults()
    return unlucky


def client(stack: Stack, service: str, attempts: int = 1) -> Any:  # noqa: ANN401 - made at run time
    endpoint = {
        "dynamodb": stack.dynamodb_of_functions,
        "sqs": stack.sqs_endpoint,
        "apigatewaymanagementapi": stack.management_endpoint,
    }[service]
    return client_at(endpoint, service, stack.region, attempts)


@cache
def client_at(endpoint: str, service: str, region: str, attempts: int) -> Any:  # noqa: ANN401 - as above
    make: Any = boto3.client
    return make(
        service,
        endpoint_url=endpoint,
        region_name=region,
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(
            read_timeout=READ_TIMEOUT_S,
            retries={"total_max_attempts": attempts, "mode": "standard"},
        ),
    )


# -- DynamoDB --------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [*BEFORE, "failed_after"])
def test_dynamodb_says_that_it_did_not_work(stack: Stack, fault: str) -> None:
    stack.set_faults(**{f"dynamodb_{fault}": 1.0})
    codes = {refused(stack, "dynamodb", fault, put(f"{fault}-{n}")) for n in range(ENOUGH)}
    assert codes == CODES["dynamodb"][fault.removesuffix("_after")]
    assert stack.metrics()["faults"][name_of("dynamodb", fault)] >= ENOUGH
    assert [is_there(stack, f"{fault}-{n}") for n in range(ENOUGH)] == (
        [fault == "failed_after"] * ENOUGH
    )


@pytest.mark.parametrize("fault", UNHEARD)
def test_dynamodb_did_it_and_says_nothing(stack: Stack, fault: str) -> None:
    stack.set_faults(**{f"dynamodb_{fault}": 1.0})
    aws = client(stack, "dynamodb")
    with pytest.raises(UNHEARD[fault]):
        aws.put_item(**put(fault)(stack)[1])
    assert is_there(stack, fault)
    stack.set_faults()
    assert aws.get_item(TableName=stack.table_name("Ended"), Key=key(fault))["Item"]


def test_single_writes_meet_transactions(stack: Stack) -> None:
    stack.set_faults(dynamodb_conflict=1.0)
    with pytest.raises(ClientError) as refused_:
        client(stack, "dynamodb").put_item(**put("conflict")(stack)[1])
    assert refused_.value.response["Error"]["Code"] == "TransactionConflictException"
    assert not is_there(stack, "conflict")
    client(stack, "dynamodb").get_item(TableName=stack.table_name("Ended"), Key=key("conflict"))


def test_a_transaction_meets_another_and_says_at_which_item(stack: Stack) -> None:
    stack.set_faults(dynamodb_conflict=1.0)
    found = set()
    for _ in range(ENOUGH):
        reasons = cancelled(stack, "t1", "t2")
        found.add(tuple(reason["Code"] for reason in reasons))
    assert found == {("TransactionConflict", "None"), ("None", "TransactionConflict")}
    assert not is_there(stack, "t1")


def test_a_throttled_transaction_is_refused_or_cancelled(stack: Stack) -> None:
    stack.set_faults(dynamodb_throttled=1.0)
    aws, codes = client(stack, "dynamodb"), set()
    for _ in range(3 * ENOUGH):
        with pytest.raises(ClientError) as refused_:
            aws.transact_write_items(TransactItems=puts(stack, "t3"))
        response: dict[str, Any] = dict(refused_.value.response)
        reasons = response.get("CancellationReasons", [{"Code": ""}])
        codes.add((response["Error"]["Code"], reasons[0]["Code"]))
    assert codes == {
        ("ThrottlingException", ""),
        ("ProvisionedThroughputExceededException", ""),
        ("TransactionCanceledException", "ThrottlingError"),
        ("TransactionCanceledException", "ProvisionedThroughputExceeded"),
    }
    assert not is_there(stack, "t3")


def test_a_transaction_that_is_repeated_unheard_is_done_once(stack: Stack) -> None:
    count = {
        "Update": {
            "TableName": stack.table_name("Ended"),
            "Key": key("counted"),
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
    }
    aws = client(stack, "dynamodb", attempts=3)
    for number, seed in enumerate(first_call_hangs_up(), start=1):
        stack.set_faults(dynamodb_hung_up=0.5, seed=seed)
        aws.transact_write_items(TransactItems=[count])
        item = aws.get_item(TableName=stack.table_name("Ended"), Key=key("counted"))["Item"]
        assert item["n"] == {"N": str(number)}


def test_the_system_itself_and_tests_meet_no_mishap(stack: Stack) -> None:
    stack.set_faults(dynamodb_throttled=1.0)
    assert stack.dynamodb_endpoint != stack.dynamodb_of_functions
    assert not is_there(stack, "nobody")


async def test_functions_meet_the_mishaps(stack: Stack, http: aiohttp.ClientSession) -> None:
    stack.set_faults(dynamodb_conflict=1.0)
    async with http.ws_connect(stack.websocket_url) as socket:
        await socket.send_json({"action": "say", "note": "by a function"})
        assert (await socket.receive_json())["message"] == "Internal server error"
    assert not is_there(stack, "by a function")


def test_without_a_switch_named_at_the_start_there_is_no_front(loose: Stack) -> None:
    assert loose.dynamodb_endpoint == loose.dynamodb_of_functions
    with pytest.raises(StackError, match="DynamoDB has no front"):
        loose.set_faults(dynamodb_failed=0.5)


# -- SQS -------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [*BEFORE, *AFTER])
def test_a_message_is_sent_or_not_and_the_sender_does_not_know(stack: Stack, fault: str) -> None:
    aws, url = client(stack, "sqs"), stack.queue_url("Later")
    message = {"QueueUrl": url, "MessageBody": "x", "DelaySeconds": 900}
    waiting = delayed(stack)
    stack.set_faults(**{f"sqs_{fault}": 1.0})
    if fault in UNHEARD:
        with pytest.raises(UNHEARD[fault]):
            aws.send_message(**message)
    else:
        for _ in range(ENOUGH):
            with pytest.raises(ClientError) as refused_:
                aws.send_message(**message)
            check(refused_.value, "sqs", fault)
    stack.set_faults()
    sent = delayed(stack) - waiting
    assert sent == (0 if fault in BEFORE else 1 if fault in UNHEARD else ENOUGH)


# -- @connections ------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [*BEFORE, *AFTER])
async def test_a_post_arrives_or_not_and_the_poster_does_not_know(
    stack: Stack, http: aiohttp.ClientSession, fault: str
) -> None:
    aws = client(stack, "apigatewaymanagementapi")
    async with http.ws_connect(stack.websocket_url) as socket, ear(socket) as heard:
        post = {"ConnectionId": connection_of(socket), "Data": json.dumps({"said": fault})}
        stack.set_faults(**{f"connections_{fault}": 1.0})
        if fault in UNHEARD:
            with pytest.raises(UNHEARD[fault]):
                aws.post_to_connection(**post)
        else:
            with pytest.raises(ClientError) as refused_:
                aws.post_to_connection(**post)
            check(refused_.value, "connections", fault)
        stack.set_faults()
        await stack.settle_async()
        assert heard == ([] if fault in BEFORE else [{"said": fault}])


def test_a_connection_that_is_gone_is_gone_also_for_who_is_not_told(stack: Stack) -> None:
    stack.set_faults(connections_failed=1.0)
    with pytest.raises(ClientError) as refused_:
        client(stack, "apigatewaymanagementapi").post_to_connection(
            ConnectionId="AAAAAAAAAAAAAAA=", Data="x"
        )
    check(refused_.value, "connections", "failed")


# -- time, and processes -----------------------------------------------------------------


@pytest.mark.parametrize("service", ["dynamodb", "sqs"])
def test_answers_may_be_late(stack: Stack, service: str) -> None:
    stack.set_faults(**{f"{service}_late": 1.0, f"{service}_late_ms": 150, "seed": 2})
    aws = client(stack, service)
    started = time.monotonic()
    for _ in range(10):
        if service == "sqs":
            aws.get_queue_url(QueueName="local-Later")
        else:
            aws.get_item(TableName=stack.table_name("Ended"), Key=key("late"))
    assert time.monotonic() - started > 0.3
    assert stack.metrics()["faults"][f"{service}Late"] >= 10


async def test_a_process_is_killed_in_the_middle_and_the_next_event_has_another(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(stack.websocket_url) as socket:
        stack.set_faults(killed=1.0, killed_ms=100)
        await socket.send_json({"action": "say", "after": 2.0, "texts": ["never"]})
        assert (await socket.receive_json())["message"] == "Internal server error"
        assert stack.metrics()["faults"]["killed"] == 1
        stack.set_faults(killed=1.0, killed_ms=0)
        for _ in range(5):
            await socket.send_json({"action": "say", "after": 0.1, "texts": ["never"]})
            assert (await socket.receive_json())["message"] == "Internal server error"
        stack.set_faults()
        await socket.send_json({"action": "say", "texts": ["again"]})
        assert (await socket.receive_json())["said"] == "again"


async def test_who_has_answered_is_not_killed_afterwards(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    stack.set_faults(killed=1.0, killed_ms=60_000)
    before = stack.metrics()["faults"].get("killed", 0)
    async with http.ws_connect(stack.websocket_url) as socket:
        for _ in range(5):
            await socket.send_json({"action": "say", "texts": ["x"]})
            assert (await socket.receive_json())["said"] == "x"
    stack.set_faults()
    assert stack.metrics()["faults"].get("killed", 0) == before


# -- below -------------------------------------------------------------------------------


Item = dict[str, Any]


def key(name: str) -> Item:
    return {"id": {"S": name}}


def put(name: str) -> Any:  # noqa: ANN401 - arguments of a call
    return lambda stack: ("put_item", {"TableName": stack.table_name("Ended"), "Item": key(name)})


def puts(stack: Stack, *names: str) -> list[Item]:
    return [{"Put": put(name)(stack)[1]} for name in names]


def refused(stack: Stack, service: str, fault: str, call: Any) -> str:  # noqa: ANN401
    """The code with which the call was refused."""
    operation, arguments = call(stack)
    with pytest.raises(ClientError) as refused_:
        getattr(client(stack, service), operation)(**arguments)
    return check(refused_.value, service, fault)


def check(error: ClientError, service: str, fault: str) -> str:
    """The code, which is one of the service's for this fault, as is the status."""
    code = error.response["Error"]["Code"]
    assert code in CODES[service][fault.removesuffix("_after")]
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    assert (status >= 500) == (fault in SERVER_FAULTS)
    return code


def cancelled(stack: Stack, *names: str) -> list[dict[str, str]]:
    """The reasons for which a transaction was cancelled."""
    aws = client(stack, "dynamodb")
    with pytest.raises(aws.exceptions.TransactionCanceledException) as refused_:
        aws.transact_write_items(TransactItems=puts(stack, *names))
    return list(refused_.value.response["CancellationReasons"])


def first_call_hangs_up() -> list[int]:
    """Seeds with which, at a share of a half, the first call is not heard, and the next two are."""
    wanted = [Mishap.HUNG_UP, None, None]
    drawing = {seed: Chance(Faults(dynamodb_hung_up=0.5), seed) for seed in range(30)}
    return [
        seed
        for seed, chance in drawing.items()
        if [chance.mishap("dynamodb") for _ in wanted] == wanted
    ][:2]


def is_there(stack: Stack, name: str) -> bool:
    """Whether an item is there, asked of the store itself."""
    direct = client_at(stack.dynamodb_endpoint, "dynamodb", stack.region, 1)
    return "Item" in direct.get_item(
        TableName=stack.table_name("Ended"), Key=key(name), ConsistentRead=True
    )


def delayed(stack: Stack) -> int:
    asked = client(stack, "sqs").get_queue_attributes(
        QueueUrl=stack.queue_url("Later"), AttributeNames=["All"]
    )
    return int(asked["Attributes"]["ApproximateNumberOfMessagesDelayed"])


def connection_of(socket: aiohttp.ClientWebSocketResponse) -> str:
    return socket._response.headers["X-Local-Connection-Id"]


def name_of(service: str, fault: str) -> str:
    return service + "".join(word.capitalize() for word in fault.split("_"))
