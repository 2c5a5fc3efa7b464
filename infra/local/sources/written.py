"""JSON as filter patterns see it: numbers as they are written, objects as their pairs.

Knows only how texts are read; what patterns mean it does not know.
"""

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from infra.local.json_values import Json


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written: equal are only numbers that are written alike."""

    text: str

    @property
    def value(self) -> Decimal:
        """What it is worth."""
        return Decimal(self.text)


class Pairs(tuple[tuple[str, Any], ...]):
    """An object as its pairs: a key that is there twice asks for both (AWS's examples do that)."""

    __slots__ = ()


Leaf = str | bool | Number | None


def document(text: str) -> Json:
    """Return a JSON text as a document to match; raises ValueError."""
    return json.loads(text, parse_int=Number, parse_float=Number)


def pairs(text: str) -> Json:
    """Return a JSON text as a pattern to read, its objects as pairs; raises ValueError."""
    return json.loads(text, parse_int=Number, parse_float=Number, object_pairs_hook=Pairs)


def told(value: Json) -> str:
    """Return a value for a person to read."""
    if isinstance(value, Pairs):
        return "{" + ", ".join(f"{key}: {told(one)}" for key, one in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(told(one) for one in value) + "]"
    return value.text if isinstance(value, Number) else json.dumps(value)
