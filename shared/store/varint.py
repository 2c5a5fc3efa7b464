"""Whole numbers from 0 in as few bytes as they need: little-endian base 128 (LEB128)."""

_CONTINUES = 0x80


def pack_varint(value: int) -> bytes:
    """The number's bytes; the last one is below 128."""
    packed = bytearray()
    while value >= _CONTINUES:
        packed.append(value % _CONTINUES | _CONTINUES)
        value //= _CONTINUES
    packed.append(value)
    return bytes(packed)


def unpack_varint(packed: bytes, at: int) -> tuple[int, int]:
    """The number that starts at `at`, and where the next thing starts."""
    value, shift = 0, 0
    while packed[at] >= _CONTINUES:
        value |= (packed[at] & ~_CONTINUES) << shift
        shift += 7
        at += 1
    return value | packed[at] << shift, at + 1
