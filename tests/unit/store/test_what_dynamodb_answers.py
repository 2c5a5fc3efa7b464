"""Answers that no local engine gives: transactions in each other's way, too many requests.

The store is bound to a client whose every answer is laid out here; nothing is sent anywhere.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
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
from shared.store.connections import Connections
from shared.store.models import TableNames, bind
from shared.store.tables import Tables
from tests.support.playing import BEGAN_AT, TABLE_ID, WHITE_PLAYER, live_table

NAMES = TableNames("tables", "codes", "connections", "players", "limits", "games", "settings")
KEY = ConnectionKey(WHITE_PLAYER, ConnectionId("socket-white"))
TABLES = Tables(lambda: BEGAN_AT)
NONE, UNMET, IN_THE_WAY = "None", "ConditionalCheckFailed", "TransactionConflict"
# PynamoDB sends what is put (code, META) before what is updated (player, connection, STATE).
CODE, META, PLAYER, CONNECTION, STATE = range(5)


@pytest.fixture
def dynamodb(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubber]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-north-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
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
def test_a_transaction_that_was_throttled_is_no_conflict(dynamodb: Stubber, reason: str) -> None:
    _cancel(dynamodb, UNMET, NONE, reason, NONE, NONE)

    with pytest.raises(PynamoDBException):
        TABLES.create(_creating())


@pytest.mark.parametrize("code", ["TransactionInProgressException", "ThrottlingException"])
def test_a_transaction_that_was_not_judged_is_no_conflict(dynamodb: Stubber, code: str) -> None:
    dynamodb.add_client_error("transact_write_items", code)

    with pytest.raises(PynamoDBException):
        TABLES.create(_creating())


@pytest.mark.parametrize(
    "code", ["ConditionalCheckFailedException", "TransactionConflictException"]
)
def test_a_move_that_meets_another_write_is_a_conflict(dynamodb: Stubber, code: str) -> None:
    dynamodb.add_client_error("update_item", code)

    with pytest.raises(Conflict):
        TABLES.write(_moving())


def test_a_move_that_was_throttled_is_no_conflict(dynamodb: Stubber) -> None:
    dynamodb.add_client_error("update_item", "ThrottlingException")

    with pytest.raises(PynamoDBException):
        TABLES.write(_moving())


def test_an_end_that_meets_an_attach_is_written_after_it(dynamodb: Stubber) -> None:
    dynamodb.add_client_error("update_item", "TransactionConflictException")
    dynamodb.add_response("update_item", {"Attributes": {"table_id": {"S": TABLE_ID}}})

    assert Connections().close(KEY, BEGAN_AT) == TABLE_ID


def test_an_end_that_always_meets_something_is_a_conflict(dynamodb: Stubber) -> None:
    for _ in range(5):
        dynamodb.add_client_error("update_item", "TransactionConflictException")

    with pytest.raises(Conflict):
        Connections().close(KEY, BEGAN_AT)


@pytest.mark.parametrize("code", ["TransactionConflictException", "ThrottlingException"])
def test_a_beginning_that_was_not_written_is_not_passed_over(dynamodb: Stubber, code: str) -> None:
    dynamodb.add_client_error("update_item", code)

    with pytest.raises(PynamoDBException):
        Connections().open(Arrival(KEY, "1", "web", "en", BEGAN_AT))
