"""All rows of a system's DynamoDB tables as JSON, and back."""

import base64
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import botocore.session

from shared.store.models import TableNames

Rows = dict[str, list[dict[str, Any]]]
"""For each table by its field in TableNames, its items; binary values as base64 text."""


def dump(names: TableNames) -> Rows:
    """Return every row of every table, in a stable order."""
    rows: Rows = {}
    for field, name in asdict(names).items():
        items = _client().scan(TableName=name, ConsistentRead=True)["Items"]
        rows[field] = sorted((_each(item, _texts) for item in items), key=str)
    return rows


def load(rows: Rows, names: TableNames) -> None:
    """Put the rows in; a table that this version does not have any more is an error."""
    known = asdict(names)
    for field, items in rows.items():
        for item in items:
            _client().put_item(TableName=known[field], Item=as_stored(item))


def as_stored(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item as DynamoDB's clients have it."""
    return _each(item, _bytes)


def _each(item: dict[str, Any], change: Callable[[bytes | str], bytes | str]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for name, value in sorted(item.items()):
        ((kind, content),) = value.items()
        if kind == "L":
            content = [_each({"": one}, change)[""] for one in content]
        changed[name] = {kind: change(content) if kind == "B" else content}
    return changed


def _texts(value: bytes | str) -> str:
    return value if isinstance(value, str) else base64.b64encode(value).decode()


def _bytes(value: bytes | str) -> bytes:
    return base64.b64decode(value)


def _client() -> Any:  # noqa: ANN401 - clients are made at run time
    return botocore.session.get_session().create_client("dynamodb")
