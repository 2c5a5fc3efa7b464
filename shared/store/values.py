"""Attribute values as DynamoDB takes them: a type letter and a value, nothing for a default.

STATE is read and written in this raw form: building a model object of it costs more than the move.
"""

from typing import Any

Value = dict[str, Any]
Item = dict[str, Value]


def number(value: int | None) -> Value | None:
    """A number; None where there is none."""
    return None if value is None else {"N": str(value)}


def nonzero(value: int) -> Value | None:
    """A number; None for zero, which is the default."""
    return {"N": str(value)} if value else None


def text(value: str) -> Value:
    """A text."""
    return {"S": value}


def binary(value: bytes) -> Value | None:
    """Bytes; None for no bytes."""
    return {"B": value} if value else None


def mark(is_set: bool) -> Value | None:  # noqa: FBT001 - the value itself, not a choice of behaviour
    """A mark that exists only while it is true."""
    return {"BOOL": True} if is_set else None


def texts(values: tuple[str, ...]) -> Value | None:
    """Texts in their order; None for an empty tuple."""
    return {"L": [{"S": value} for value in values]} if values else None


def without_absent(candidates: dict[str, Value | None]) -> Item:
    """The attributes that have a value."""
    return {name: value for name, value in candidates.items() if value is not None}


def read_number(item: Item, name: str) -> int | None:
    """The number under `name`; None where there is none."""
    value = item.get(name)
    return None if value is None else int(value["N"])


def read_count(item: Item, name: str) -> int:
    """The number under `name`; 0 where there is none."""
    value = item.get(name)
    return 0 if value is None else int(value["N"])


def read_text(item: Item, name: str) -> str | None:
    """The text under `name`; None where there is none."""
    value = item.get(name)
    return None if value is None else str(value["S"])


def read_binary(item: Item, name: str) -> bytes:
    """The bytes under `name`; none where there are none."""
    value = item.get(name)
    return b"" if value is None else bytes(value["B"])


def read_texts(item: Item, name: str) -> tuple[str, ...]:
    """The texts under `name`, in their order."""
    value = item.get(name)
    return () if value is None else tuple(str(entry["S"]) for entry in value["L"])
