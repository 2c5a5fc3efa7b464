"""Every item of the store as it lies there, to see that nothing was half done."""

from typing import Any

from shared.store.models import (
    CodeRow,
    ConnectionRow,
    GameRow,
    PlayerRow,
    TableRow,
    table_of,
)

Rows = dict[str, list[dict[str, Any]]]


def all_rows() -> Rows:
    """The items of every DynamoDB table that a table's writes touch."""
    models = (TableRow, CodeRow, ConnectionRow, PlayerRow, GameRow)
    return {model.__name__: _scan(table_of(model).table_name) for model in models}


def _scan(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    start: dict[str, Any] | None = None
    connection = table_of(TableRow).connection
    while True:
        asked = {"TableName": name, "ConsistentRead": True}
        answer = connection.dispatch(
            "Scan", asked | ({"ExclusiveStartKey": start} if start else {})
        )
        found += answer["Items"]
        start = answer.get("LastEvaluatedKey")
        if not start:
            return found
