"""A seat as attributes of STATE: the side's letter, then what it is.

p player, c connections, h heard_at, q probed_at, a away_since, t away is told, r recent actions,
d declined_ply. An empty seat has no attribute at all.
"""

from shared.game.ids import ConnectionId, PlayerId
from shared.game.table import Done, Seat
from shared.store.values import (
    Item,
    Value,
    binary,
    mark,
    nonzero,
    number,
    read_binary,
    read_count,
    read_number,
    read_text,
    read_texts,
    text,
    texts,
)
from shared.store.varint import pack_varint, unpack_varint


def encode_seat(seat: Seat, letter: str) -> dict[str, Value | None]:
    """The seat's attributes, None for those it does not have."""
    return {
        f"{letter}p": None if seat.player_id is None else text(seat.player_id),
        f"{letter}c": texts(seat.connections),
        f"{letter}h": nonzero(seat.heard_at),
        f"{letter}q": number(seat.probed_at),
        f"{letter}a": number(seat.away_since),
        f"{letter}t": mark(seat.is_away_told),
        f"{letter}r": binary(_pack_recent(seat.recent)),
        f"{letter}d": number(seat.declined_ply),
    }


def decode_seat(item: Item, letter: str) -> Seat:
    """The seat as it was encoded."""
    player_id = read_text(item, f"{letter}p")
    return Seat(
        player_id=None if player_id is None else PlayerId(player_id),
        connections=tuple(map(ConnectionId, read_texts(item, f"{letter}c"))),
        heard_at=read_count(item, f"{letter}h"),
        probed_at=read_number(item, f"{letter}q"),
        away_since=read_number(item, f"{letter}a"),
        is_away_told=f"{letter}t" in item,
        recent=_unpack_recent(read_binary(item, f"{letter}r")),
        declined_ply=read_number(item, f"{letter}d"),
    )


def _pack_recent(recent: tuple[Done, ...]) -> bytes:
    """Per action: its `v`, the length of the digest, the digest."""
    return b"".join(
        pack_varint(done.v) + pack_varint(len(done.digest)) + done.digest for done in recent
    )


def _unpack_recent(packed: bytes) -> tuple[Done, ...]:
    recent, at = [], 0
    while at < len(packed):
        v, at = unpack_varint(packed, at)
        length, at = unpack_varint(packed, at)
        recent.append(Done(packed[at : at + length], v))
        at += length
    return tuple(recent)
