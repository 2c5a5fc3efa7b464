"""How moves and think times are kept small: two bytes a ply, and varints of 10 ms.

The largest board has 100 squares: from, to and one of five promotions fit in 16 bits.
"""

THINK_UNIT_MS = 10
_CONTINUES = 0x80


def pack_move(origin: int, target: int, promotion: int, squares: int) -> bytes:
    """Two bytes for a move between square numbers; `promotion` is 0 (none) to 5."""
    return ((promotion * squares + origin) * squares + target).to_bytes(2, "big")


def unpack_moves(packed: bytes, squares: int) -> list[tuple[int, int, int]]:
    """(origin, target, promotion) of each packed move, in order."""
    return [_unpack(packed[i : i + 2], squares) for i in range(0, len(packed), 2)]


def _unpack(code: bytes, squares: int) -> tuple[int, int, int]:
    rest, target = divmod(int.from_bytes(code, "big"), squares)
    promotion, origin = divmod(rest, squares)
    return origin, target, promotion


def pack_think(think_ms: int) -> bytes:
    """A think time, rounded to 10 ms, as a little-endian base-128 varint."""
    units = (think_ms + THINK_UNIT_MS // 2) // THINK_UNIT_MS
    packed = bytearray()
    while units >= _CONTINUES:
        packed.append(units % _CONTINUES | _CONTINUES)
        units //= _CONTINUES
    packed.append(units)
    return bytes(packed)


def unpack_thinks(packed: bytes) -> list[int]:
    """The think time of each ply in ms, to 10 ms."""
    thinks, units, shift = [], 0, 0
    for byte in packed:
        units |= (byte & ~_CONTINUES) << shift
        shift += 7
        if byte < _CONTINUES:
            thinks.append(units * THINK_UNIT_MS)
            units, shift = 0, 0
    return thinks
