"""How large DynamoDB says that items are, by its documented rules.

A name counts its UTF-8 bytes, a number about a byte for two digits and one more, lists and maps
three bytes and one for each member.
"""

import base64
from collections.abc import Mapping
from typing import Any, Final

from infra.local.json_values import Json

OVERHEAD: Final = 3
MEMBER: Final = 1


def item_size(item: Mapping[str, Any]) -> int:
    """Return the bytes of an item in DynamoDB JSON: names and values."""
    return sum(len(name.encode()) + _value(typed) for name, typed in item.items())


def _value(typed: Mapping[str, Any]) -> int:
    ((kind, value),) = typed.items()
    match kind:
        case "S":
            return len(value.encode())
        case "N":
            return _number(value)
        case "B":
            return len(base64.b64decode(value))
        case "SS" | "NS" | "BS":
            return sum(_value({kind[0]: one}) for one in value)
        case "L":
            return OVERHEAD + sum(MEMBER + _value(one) for one in value)
        case "M":
            return OVERHEAD + sum(MEMBER for _ in value) + item_size(value)
        case _:  # BOOL, NULL
            return 1


def _number(value: Json) -> int:
    mantissa, _, _ = str(value).lower().partition("e")
    digits = mantissa.lstrip("-+").replace(".", "").strip("0")
    sign = 1 if mantissa.startswith("-") else 0
    return (len(digits) + 1) // 2 + 1 + sign
