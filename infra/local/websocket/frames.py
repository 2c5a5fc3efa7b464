"""WebSocket frames (RFC 6455), without a socket: bytes in, messages out, and the other way round.

Knows the limits of API Gateway (fact A5): frames of at most 32 KB, messages of at most 128 KB
(close code 1009), no binary (1003). Extensions are never negotiated.
"""

import struct
from dataclasses import dataclass
from typing import Final

FRAME_LIMIT: Final = 32 * 1024
MESSAGE_LIMIT: Final = 128 * 1024
CONTROL_LIMIT: Final = 125

CONTINUATION: Final = 0x0
TEXT: Final = 0x1
BINARY: Final = 0x2
CLOSE: Final = 0x8
PING: Final = 0x9
PONG: Final = 0xA
CONTROL: Final = 0x8

FIN: Final = 0x80
RESERVED_BITS: Final = 0x70
MASKED: Final = 0x80
LENGTH_16: Final = 126
LENGTH_64: Final = 127

NO_STATUS: Final = 1005
NO_STATUS_REASON: Final = "Client-side close frame status not set"
# Codes that an endpoint may send (RFC 6455, 7.4, and IANA's list); 3000 to 4999 are its users' own.
DEFINED_CODES: Final = frozenset({*range(1000, 1004), *range(1007, 1015)})
USERS_CODES: Final = range(3000, 5000)


@dataclass(frozen=True, slots=True)
class Text:
    """A whole text message."""

    data: str


@dataclass(frozen=True, slots=True)
class Ping:
    """A ping, to be answered with its own payload."""

    payload: bytes


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to a ping."""

    payload: bytes


@dataclass(frozen=True, slots=True)
class Closing:
    """The client's close frame; 1005 when it carried no status."""

    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Violation:
    """What the client sent cannot be accepted: close with this code. Nothing follows."""

    code: int
    reason: str


Received = Text | Ping | Pong | Closing | Violation

TOO_BIG: Final = Violation(1009, "Message too big")
NO_BINARY: Final = Violation(1003, "Binary is not supported")
PROTOCOL_ERROR: Final = Violation(1002, "Protocol error")
NOT_UTF8: Final = Violation(1007, "Not UTF-8")


@dataclass(frozen=True, slots=True)
class _Header:
    opcode: int
    is_final: bool
    mask: bytes
    start: int
    end: int


class FrameReader:
    """Puts messages together from whatever pieces the socket delivers."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._parts: list[bytes] = []
        self._size = 0
        self._is_broken = False

    def feed(self, data: bytes) -> list[Received]:
        """Return what is complete now, in order; nothing more after a Violation."""
        if self._is_broken:
            return []
        self._buffer += data
        received: list[Received] = []
        position = 0
        while (frame := self._header(position)) is not None:
            one = frame if isinstance(frame, Violation) else self._frame(frame)
            if isinstance(frame, _Header):
                position = frame.end
            if one is not None:
                received.append(one)
            if isinstance(one, Violation | Closing):
                self._is_broken = True
                break
        del self._buffer[:position]
        return received

    def _header(self, position: int) -> _Header | Violation | None:
        """Return the frame that starts at `position`, None while it is incomplete."""
        buffer = self._buffer
        available = len(buffer) - position
        if available < 2:  # noqa: PLR2004  the two bytes every frame begins with
            return None
        first, second = buffer[position], buffer[position + 1]
        length, start = second & 0x7F, position + 2
        if refused := _refused(first, second, length):
            return refused
        if length == LENGTH_16:
            if available < 4:  # noqa: PLR2004  two bytes and a 16-bit length
                return None
            (length,) = struct.unpack_from("!H", buffer, start)
            start += 2
        elif length == LENGTH_64:
            return TOO_BIG
        is_control = bool(first & CONTROL)
        if length > FRAME_LIMIT or (not is_control and self._size + length > MESSAGE_LIMIT):
            return TOO_BIG
        end = start + 4 + length
        if len(buffer) < end:
            return None
        return _Header(
            first & 0x0F, bool(first & FIN), bytes(buffer[start : start + 4]), start + 4, end
        )

    def _frame(self, header: _Header) -> Received | None:
        payload = _unmasked(bytes(self._buffer[header.start : header.end]), header.mask)
        match header.opcode:
            case 0x8:
                return _closing(payload)
            case 0x9:
                return Ping(payload)
            case 0xA:
                return Pong(payload)
        return self._data(header, payload)

    def _data(self, header: _Header, payload: bytes) -> Received | None:
        is_continuation = header.opcode == CONTINUATION
        if is_continuation != bool(self._parts):
            return PROTOCOL_ERROR
        self._parts.append(payload)
        self._size += len(payload)
        if not header.is_final:
            return None
        whole = b"".join(self._parts)
        self._parts, self._size = [], 0
        try:
            return Text(whole.decode())
        except UnicodeDecodeError:
            return NOT_UTF8


def text_frame(payload: bytes) -> bytes:
    """Return one unmasked text frame."""
    return frame(TEXT, payload)


def close_frame(code: int, reason: str) -> bytes:
    """Return a close frame; 1005 and 1006 are never sent, so they give an empty one."""
    if code in {NO_STATUS, 1006}:
        return frame(CLOSE, b"")
    return frame(CLOSE, struct.pack("!H", code) + reason.encode()[: CONTROL_LIMIT - 2])


def frame(opcode: int, payload: bytes) -> bytes:
    """Return one final, unmasked frame."""
    length = len(payload)
    if length < LENGTH_16:
        return bytes((FIN | opcode, length)) + payload
    if length <= 0xFFFF:  # noqa: PLR2004  what a 16-bit length can say
        return struct.pack("!BBH", FIN | opcode, LENGTH_16, length) + payload
    return struct.pack("!BBQ", FIN | opcode, LENGTH_64, length) + payload


def _refused(first: int, second: int, length: int) -> Violation | None:
    opcode = first & 0x0F
    if first & RESERVED_BITS or not second & MASKED:
        return PROTOCOL_ERROR
    if opcode == BINARY:
        return NO_BINARY
    if opcode in {CLOSE, PING, PONG}:
        return None if first & FIN and length <= CONTROL_LIMIT else PROTOCOL_ERROR
    return None if opcode in {TEXT, CONTINUATION} else PROTOCOL_ERROR


def _closing(payload: bytes) -> Received:
    if not payload:
        return Closing(NO_STATUS, NO_STATUS_REASON)
    if len(payload) == 1:
        return PROTOCOL_ERROR
    (code,) = struct.unpack_from("!H", payload)
    if code not in DEFINED_CODES and code not in USERS_CODES:
        return PROTOCOL_ERROR
    try:
        return Closing(code, payload[2:].decode())
    except UnicodeDecodeError:
        return NOT_UTF8


def _unmasked(payload: bytes, mask: bytes) -> bytes:
    length = len(payload)
    if not length:
        return payload
    key = (mask * (length // 4 + 1))[:length]
    mixed = int.from_bytes(payload, "little") ^ int.from_bytes(key, "little")
    return mixed.to_bytes(length, "little")
