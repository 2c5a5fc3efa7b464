"""The door: the text of a message in, a typed message or a Refusal out, and nothing else ever.

An envelope tells the action, its class checks the rest. Why a message was turned away is found
out afterwards, in `faults`, so that good messages pay nothing for it.
"""

import re
from typing import Any

import msgspec

from shared.game.actions import ACTIONS
from shared.game.actions.action import GameAction
from shared.game.refusal import Refusal
from shared.protocol.errors import Malformed, TooLong, UnknownAction
from shared.protocol.faults import fault
from shared.protocol.inbound import SAYINGS, Saying

MAX_MESSAGE = 4_096
"""Characters; nothing a client may say comes near it."""
_UNREADABLE = (msgspec.DecodeError, UnicodeEncodeError, RecursionError)
"""Not JSON or not this shape; half a surrogate pair; nested deeper than any message is."""
_ID = re.compile(r"[A-Za-z0-9_-]{16}")


class _Envelope(msgspec.Struct):
    """The two fields of every message, whatever they hold."""

    action: Any = None
    id: Any = None


_ENVELOPE = msgspec.json.Decoder(_Envelope)
_SHAPES: dict[str, type[msgspec.Struct]] = {**ACTIONS, **SAYINGS}
_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {
    name: msgspec.json.Decoder(shape) for name, shape in _SHAPES.items()
}


def decode(text: str) -> GameAction | Saying:
    """The message that `text` is. Raises Malformed, UnknownAction, UnknownField, TooLong."""
    action = _open(text).action
    if not isinstance(action, str):
        raise Malformed(field="action")
    decoder = _DECODERS.get(action)
    if decoder is None:
        raise UnknownAction
    try:
        message: GameAction | Saying = decoder.decode(text)
    except _UNREADABLE as error:
        raise _why(_SHAPES[action], text) from error
    return message


def id_of(text: str) -> str | None:
    """The client's id of a message, however bad the rest of it; None where there is none."""
    envelope = _glance(text)
    said = envelope.id if envelope else None
    return said if isinstance(said, str) and _ID.fullmatch(said) else None


def action_of(text: str) -> str | None:
    """The action a message asks for, if it is one there is; None otherwise."""
    envelope = _glance(text)
    said = envelope.action if envelope else None
    return said if isinstance(said, str) and said in _DECODERS else None


def _glance(text: str) -> _Envelope | None:
    try:
        return _open(text)
    except (Malformed, TooLong):
        return None


def _open(text: str) -> _Envelope:
    """The envelope of a message that is JSON from end to end. Raises Malformed, TooLong."""
    if len(text) > MAX_MESSAGE:
        raise TooLong(limit=MAX_MESSAGE)
    try:
        return _ENVELOPE.decode(text)
    except _UNREADABLE as error:
        raise Malformed from error


def _why(shape: type[msgspec.Struct], text: str) -> Refusal:
    """Why the text is no message of the class `shape`."""
    try:
        fields = msgspec.json.decode(text)
    except _UNREADABLE:
        return Malformed()
    return fault(shape, fields)
