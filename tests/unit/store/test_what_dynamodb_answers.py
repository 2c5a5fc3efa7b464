"""Answers that no local engine gives: transactions in each other's way, too many requests.

The store is bound to a client whose every answer is laid out here; nothing is sent anywhere.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)
from botocore.stub import Stubber
from pynamodb.exceptions import PynamoDBException

from shared.game.ids import ConnectionId
from shared.service.ports import (
    AlreadySeated,
    Arrival,
    CodeClash,
    Conflict,
    ConnectionKey,
    ConnectionLost,
    NewTable,
    TableMeta,
    TableWrite,
)
from shared.store import reach
from shared.store.connections import Connections
from shared.store.models import TableNames, bind
from shared.store.tables import Tables
from tests.support.playing import BEGAN_AT, TABLE_ID, WHITE_PLAYER, live_table

NAMES = TableNames("tables", "codes", "connections", "players", "limits", "games", "settings")
KEY = ConnectionKey(WHITE_PLAYER, ConnectionId("socket-white"))
TABLES = Tables(lambda: BEGAN_AT)
ARRIVAL = Arrival(KEY, "1", "web", "en", BEGAN_AT)
TOO_MANY = (
    "ThrottlingException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
)
FAILED = (("InternalServerError", 500), ("ServiceUnavailable", 503))
UNANSWERED = (
    ReadTimeoutError(endpoint_url="https://example.org"),
    ConnectTimeoutError(endpoint_url="https://example.org"),
    ConnectionClosedError(endpoint_url="https://example.org"),
    EndpointConnectionError(endpoint_url="https://example.org"),
)
NONE, UNMET, IN_THE_WAY = "None", "ConditionalCheckFailed", "TransactionConflict"
# PynamoDB sends what is put (code, META) before what is updated (player, connection, STATE).
CODE, META, PLAYER, CONNECTION, STATE = range(5)


@pytest.fixture
def dynamodb(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubber]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-north-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setattr(reach, "LONGEST_WAITS_S", (0, 0))
    client: Any = bind(NAMES).client
    with Stubber(client) as stubber:
        yield stubber


def _cancel(dynamodb: Stubber, *codes: str) -> None:
    dynamodb.add_client_error(
        "transact_write_items",
        "TransactionCanceledException",
        modeled_fields={"CancellationReasons": [{"Code": code} for code in codes]},
    )


def _creating() -> NewTable:
    table = live_table()
    return NewTable(table, TableMeta(TABLE_ID, "abcdef", "s", BEGAN_AT), KEY, BEGAN_AT)


def _moving() -> TableWrite:
    table = live_table()
    return TableWrite(table, replace(table, rev=table.rev + 1))


def _unmet(*steps: int) -> list[str]:
    return [UNMET if step in steps else NONE for step in range(5)]


@pytest.mark.parametrize(
    ("failed", "expected"),
    [
        ([CODE], CodeClash),
        ([META], Conflict),
        ([PLAYER], AlreadySeated),
        ([CONNECTION], ConnectionLost),
        ([STATE], Conflict),
        ([PLAYER, STATE, META, CODE], AlreadySeated),
        ([CONNECTION, CODE], ConnectionLost),
        ([CODE, STATE], CodeClash),
    ],
)
def test_the_reason_at_a_place_is_the_failure_of_the_step_there(
    dynamodb: Stubber, failed: list[int], expected: type[Exception]
) -> None:
    _cancel(dynamodb, *_unmet(*failed))

    with pytest.raises(expected):
        TABLES.create(_creating())


def test_a_transaction_in_the_way_of_another_is_a_conflict(dynamodb: Stubber) -> None:
    _cancel(dynamodb, UNMET, NONE, IN_THE_WAY, NONE, NONE)

    with pytest.raises(Conflict):
        TABLES.create(_creating())


@pytest.mark.parametrize("reason", ["ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a_transaction_that_is_cancelled_as_too_many_is_tried_from_the_start(
    dynamodb: Stubber, reason: str
) -> None:
    _cancel(dynamodb, NONE, NONE, reason, NONE, NONE)

    with pytest.raises(Conflict):
        TABLES.create(_creating())


@pytest.mark.parametrize("code", TOO_MANY)
def test_a_transaction_that_is_one_too_many_is_tried_from_the_start(
    dynamodb: Stubber, code: str
) -> None:
    dynamodb.add_client_error("transact_write_items", code)

    with pytest.raises(Conflict):
        TABLES.create(_creating())


@pytest.mark.parametrize("failure", [*FAILED, ("TransactionInProgressException", 400)])
def test_a_transaction_that_may_have_been_done_is_asked_for_again_under_its_name(
    dynamodb: Stubber, failure: tuple[str, int]
) -> None:
    code, status = failure
    names: list[str] = []
    dynamodb.client.meta.events.register(
        "provide-client-params.dynamodb.TransactWriteItems",
        lambda params, **_: names.append(params["ClientRequestToken"]),
    )
    for _ in range(2):
        dynamodb.add_client_error("transact_write_items", code, http_status_code=status)
    dynamodb.add_response("transact_write_items", {})

    TABLES.create(_creating())

    assert len(names) == 3
    assert len(set(names)) == 1


def test_another_transaction_has_another_name(dynamodb: Stubber) -> None:
    names: list[str] = []
    dynamodb.client.meta.events.register(
        "provide-client-params.dynamodb.TransactWriteItems",
        lambda params, **_: names.append(params["ClientRequestToken"]),
    )
    for _ in range(2):
        dynamodb.add_response("transact_write_items", {})
        TABLES.create(_creating())

    assert len(set(names)) == 2


@pytest.mark.parametrize("code", ["TransactionInProgressException", "InternalServerError"])
def test_a_transaction_of_which_nobody_knows_is_no_conflict(dynamodb: Stubber, code: str) -> None:
    for _ in range(3):
        dynamodb.add_client_error("transact_write_items", code, http_status_code=500)

    with pytest.raises(PynamoDBException):
        TABLES.create(_creating())


@pytest.mark.parametrize(
    "code", ["ConditionalCheckFailedException", "TransactionConflictException"]
)
def test_a_move_that_meets_another_write_is_a_conflict(dynamodb: Stubber, code: str) -> None:
    dynamodb.add_client_error("update_item", code)

    with pytest.raises(Conflict):
        TABLES.write(_moving())


@pytest.mark.parametrize("failure", [*((code, 400) for code in TOO_MANY), *FAILED])
def test_a_move_that_may_not_have_been_written_is_decided_anew(
    dynamodb: Stubber, failure: tuple[str, int]
) -> None:
    """By then it is later, and what the clock says must be true of the write that counts."""
    dynamodb.add_client_error("update_item", failure[0], http_status_code=failure[1])

    with pytest.raises(Conflict):
        TABLES.write(_moving())
    dynamodb.assert_no_pending_responses()


@pytest.mark.parametrize("failure", UNANSWERED)
def test_a_move_that_is_not_answered_is_decided_anew(
    dynamodb: Stubber, monkeypatch: pytest.MonkeyPatch, failure: BotoCoreError
) -> None:
    asked = _unanswered(dynamodb, monkeypatch, failure)

    with pytest.raises(Conflict):
        TABLES.write(_moving())
    assert asked == ["UpdateItem"]


def test_a_move_that_makes_no_sense_is_no_conflict(dynamodb: Stubber) -> None:
    dynamodb.add_client_error("update_item", "ValidationException", http_status_code=400)

    with pytest.raises(PynamoDBException):
        TABLES.write(_moving())


@pytest.mark.parametrize("failure", [*((code, 400) for code in TOO_MANY), *FAILED])
def test_a_read_that_fails_is_repeated(dynamodb: Stubber, failure: tuple[str, int]) -> None:
    for _ in range(2):
        dynamodb.add_client_error("get_item", failure[0], http_status_code=failure[1])
    dynamodb.add_response("get_item", {})

    assert TABLES.get(TABLE_ID) is None


@pytest.mark.parametrize("failure", UNANSWERED)
def test_a_read_that_is_never_answered_is_given_up(
    dynamodb: Stubber, monkeypatch: pytest.MonkeyPatch, failure: BotoCoreError
) -> None:
    asked = _unanswered(dynamodb, monkeypatch, failure)

    with pytest.raises(PynamoDBException):
        TABLES.get(TABLE_ID)
    assert asked == ["GetItem"] * 3


def test_a_read_that_makes_no_sense_is_not_repeated(dynamodb: Stubber) -> None:
    dynamodb.add_client_error("get_item", "ValidationException", http_status_code=400)

    with pytest.raises(PynamoDBException):
        TABLES.get(TABLE_ID)


def test_an_end_that_meets_an_attach_is_written_after_it(dynamodb: Stubber) -> None:
    dynamodb.add_client_error("update_item", "TransactionConflictException")
    dynamodb.add_response("update_item", {"Attributes": {"table_id": {"S": TABLE_ID}}})

    assert Connections().close(KEY, BEGAN_AT) == TABLE_ID


def test_an_end_that_always_meets_something_is_a_conflict(dynamodb: Stubber) -> None:
    for _ in range(5):
        dynamodb.add_client_error("update_item", "TransactionConflictException")

    with pytest.raises(Conflict):
        Connections().close(KEY, BEGAN_AT)


def test_a_beginning_that_meets_something_is_written_after_it(dynamodb: Stubber) -> None:
    dynamodb.add_client_error("update_item", "TransactionConflictException")
    dynamodb.add_response("update_item", {})

    Connections().open(ARRIVAL)

    dynamodb.assert_no_pending_responses()


@pytest.mark.parametrize("code", ["TransactionConflictException", *TOO_MANY])
def test_a_beginning_that_was_not_written_is_not_passed_over(dynamodb: Stubber, code: str) -> None:
    for _ in range(5):
        dynamodb.add_client_error("update_item", code)

    with pytest.raises((PynamoDBException, Conflict)):
        Connections().open(ARRIVAL)


def _unanswered(
    dynamodb: Stubber, monkeypatch: pytest.MonkeyPatch, failure: BotoCoreError
) -> list[str]:
    """What is asked from now on; nothing is answered."""
    asked: list[str] = []

    def call(operation: str, _: dict[str, Any]) -> None:
        asked.append(operation)
        raise failure

    monkeypatch.setattr(dynamodb.client, "_make_api_call", call)
    return asked
