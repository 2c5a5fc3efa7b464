"""What is wrong with a message that its class turned away: the first fault, as a refusal.

Found by comparing the message with the shape of its class, never by the words of an error.
"""

from typing import Any

import msgspec
from msgspec.inspect import StrType, type_info
from msgspec.structs import FieldInfo

from shared.game.refusal import Refusal
from shared.protocol.errors import Malformed, TooLong, UnknownField

MAX_NAME = 32
"""Characters of a field's name that are repeated to the client that made it up."""


def fault(shape: type[msgspec.Struct], fields: dict[str, Any]) -> Refusal:
    """Why `fields` are no message of the class `shape`."""
    return _first_fault(shape, fields, "") or Malformed()


def _first_fault(
    shape: type[msgspec.Struct], fields: dict[str, Any], within: str
) -> Refusal | None:
    """A field that is not known, or else the first that is missing, too long or wrong."""
    known = {field.encode_name for field in msgspec.structs.fields(shape)}
    known.add(str(shape.__struct_config__.tag_field))
    for name in fields:
        if name not in known:
            return UnknownField(field=within + _shown(name))
    for field in msgspec.structs.fields(shape):
        found = _fault_of(field, fields, within)
        if found is not None:
            return found
    return None


def _fault_of(field: FieldInfo, fields: dict[str, Any], within: str) -> Refusal | None:
    name = within + field.encode_name
    if field.encode_name not in fields:
        return Malformed(field=name) if field.required else None
    value = fields[field.encode_name]
    if _is_shape(field.type) and isinstance(value, dict):
        return _first_fault(field.type, value, f"{name}.")
    limit = _limit(field)
    if isinstance(value, str) and limit is not None and len(value) > limit:
        return TooLong(limit=limit, field=name)
    return None if _fits(field, value) else Malformed(field=name)


def _is_shape(of: object) -> bool:
    return isinstance(of, type) and issubclass(of, msgspec.Struct)


def _limit(field: FieldInfo) -> int | None:
    """How many characters the field may hold, where it says so."""
    kind = type_info(field.type)
    return kind.max_length if isinstance(kind, StrType) else None


def _fits(field: FieldInfo, value: object) -> bool:
    try:
        msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        return False
    return True


def _shown(name: str) -> str:
    """The name without control and direction characters, and not too long to repeat."""
    return "".join(character for character in name if character.isprintable())[:MAX_NAME]
