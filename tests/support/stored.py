"""What the running system has stored, read and changed past it: raw items of its DynamoDB."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

import boto3
from boto3.dynamodb.types import Binary, TypeDeserializer

from tests.support.recorded_games import SideName

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Row = dict[str, Any]


class Running(Protocol):
    """A running system."""

    @property
    def dynamodb_endpoint(self) -> str:
        """Where its DynamoDB is."""
        ...

    @property
    def region(self) -> str:
        """The region that clients must name."""
        ...

    def table_name(self, logical_id: str) -> str:
        """What a DynamoDB table of the template is called."""
        ...


class Stored:
    """The rows of one running system."""

    def __init__(self, running: Running) -> None:
        """Make a client of our own."""
        self._names = running.table_name
        self.client: DynamoDBClient = boto3.client(
            "dynamodb",
            endpoint_url=running.dynamodb_endpoint,
            region_name=running.region,
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )

    def record(self, table: str, game: int) -> Row:
        """The record of a finished game. Raises LookupError."""
        return self._row("Games", pk=f"game#{table}#{game}", sk="record")

    def history(self, player: str) -> list[Row]:
        """The lines of a player's history, newest first."""
        found = self.client.query(
            TableName=self._names("Games"),
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": f"player#{player}"}},
            ConsistentRead=True,
        )
        return [_plain(item) for item in found["Items"]]

    def player(self, player: str) -> Row:
        """A player's row. Raises LookupError."""
        return self._row("Players", player_id=player)

    def state(self, table: str) -> Row:
        """The STATE of a table. Raises LookupError."""
        return self._row("Tables", table_id=table, part="STATE")

    def rows(self, logical_id: str) -> list[Row]:
        """Every row of a DynamoDB table."""
        pages = self.client.get_paginator("scan").paginate(
            TableName=self._names(logical_id), ConsistentRead=True
        )
        return [_plain(item) for page in pages for item in page["Items"]]

    def set_clock(self, table: str, side: SideName, left_ms: int) -> None:
        """What is left to a side, changed behind the server's back (`cw`, `cb` of STATE)."""
        self.client.update_item(
            TableName=self._names("Tables"),
            Key={"table_id": {"S": table}, "part": {"S": "STATE"}},
            UpdateExpression="SET #clock = :left",
            ExpressionAttributeNames={"#clock": f"c{side[0]}"},
            ExpressionAttributeValues={":left": {"N": str(left_ms)}},
        )

    def put_setting(self, name: str, value: str) -> None:
        """A live setting, as an operator sets it."""
        row = {"name": {"S": name}, "value": {"S": value}}
        self.client.put_item(TableName=self._names("Settings"), Item=row)

    def _row(self, logical_id: str, **key: str) -> Row:
        found = self.client.get_item(
            TableName=self._names(logical_id),
            Key={name: {"S": value} for name, value in key.items()},
            ConsistentRead=True,
        )
        if "Item" not in found:
            raise LookupError(key)
        return _plain(found["Item"])


def _plain(item: Any) -> Row:  # noqa: ANN401 - what DynamoDB says
    """The item as Python values; whole numbers as int, binaries as bytes."""
    read = TypeDeserializer().deserialize
    return {name: _simple(read(value)) for name, value in item.items()}


def _simple(value: Any) -> Any:  # noqa: ANN401 - any value there is
    if isinstance(value, Binary):
        return bytes(value)  # type: ignore[call-overload] # it can, its stubs do not say so
    return int(value) if isinstance(value, Decimal) else value
