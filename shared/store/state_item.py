"""A table as its STATE item, exactly and in few bytes: short names, nothing for a default.

sc schema, rev, v, g game, st status, si since, rs ruleset, tc time control, pu public, fe and fp
base position and its ply, mv moves, th thinks, cw and cb clocks, ct turn_at, sm served_ms,
ga began_at where that is not since, do and ro open offers, oc outcome, sx secret; seats see
seat_item. `due_shard` and `due_at` (which says timer_at) exist while a timer is armed,
`expires_at` while the table is over.
"""

from typing import Final
from zlib import crc32

from shared.game.clock import Clock, TimeControl
from shared.game.ids import Fen, TableId
from shared.game.outcome import Outcome, Termination
from shared.game.side import Side
from shared.game.table import Offer, Status, Table
from shared.store.seat_item import decode_seat, encode_seat
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
    text,
    without_absent,
)

SCHEMA = 1
DUE_SHARDS: Final = tuple("0123456789abcdef")
DUE_AFTER_TIMER_MS = 20_000
"""How long after its timer a table counts as left behind, for the sweep to find."""
KEPT_MS = 7 * 24 * 3_600_000
"""How long a table that is over stays readable."""

_STATUSES = {status[0]: status for status in Status}
_SIDES = {side[0]: side for side in Side}
_NOBODY = "-"


def encode(table: Table) -> Item:
    """The attributes of STATE, without its key."""
    candidates = {
        "sc": number(SCHEMA),
        "rev": number(table.rev),
        "rs": text(table.ruleset),
        "tc": text(_pack_control(table.time_control)),
        **_encode_progress(table),
        **_encode_clock(table.clock),
        **_encode_timer(table),
        **encode_seat(table.white, "w"),
        **encode_seat(table.black, "b"),
    }
    return without_absent(candidates)


def decode(table_id: TableId, item: Item) -> Table:
    """The table as it was encoded."""
    return Table(
        table_id,
        ruleset=item["rs"]["S"],
        time_control=_unpack_control(item["tc"]["S"]),
        base_fen=Fen(item["fe"]["S"]),
        since=int(item["si"]["N"]),
        white=decode_seat(item, "w"),
        black=decode_seat(item, "b"),
        rev=int(item["rev"]["N"]),
        v=read_count(item, "v"),
        game=int(item["g"]["N"]),
        status=_STATUSES[item["st"]["S"]],
        is_public="pu" in item,
        base_ply=read_count(item, "fp"),
        moves=read_binary(item, "mv"),
        thinks=read_binary(item, "th"),
        clock=_decode_clock(item),
        began_at=int(item.get("ga", item["si"])["N"]),
        draw_offer=_unpack_offer(read_text(item, "do")),
        rematch_offer=_unpack_offer(read_text(item, "ro")),
        outcome=_unpack_outcome(read_text(item, "oc")),
        timer_at=_decode_timer(item),
        secret=read_binary(item, "sx"),
    )


def due_shard(table_id: TableId) -> str:
    """The shard of the `due` index in which the table is found."""
    return DUE_SHARDS[crc32(table_id.encode()) % len(DUE_SHARDS)]


def _encode_progress(table: Table) -> dict[str, Value | None]:
    return {
        "v": nonzero(table.v),
        "g": number(table.game),
        "st": text(table.status[0]),
        "si": number(table.since),
        "pu": mark(table.is_public),
        "fe": text(table.base_fen),
        "fp": nonzero(table.base_ply),
        "mv": binary(table.moves),
        "th": binary(table.thinks),
        "ga": None if table.began_at == table.since else number(table.began_at),
        "do": _pack_offer(table.draw_offer),
        "ro": _pack_offer(table.rematch_offer),
        "oc": _pack_outcome(table.outcome),
        "sx": binary(table.secret),
    }


def _encode_timer(table: Table) -> dict[str, Value | None]:
    """What wakes the table, and what lets DynamoDB delete it."""
    timer_at = table.timer_at
    return {
        "due_at": None if timer_at is None else number(timer_at + DUE_AFTER_TIMER_MS),
        "due_shard": None if timer_at is None else text(due_shard(table.table_id)),
        "expires_at": number((table.since + KEPT_MS) // 1000)
        if table.status is Status.OVER
        else None,
    }


def _decode_timer(item: Item) -> int | None:
    due_at = read_number(item, "due_at")
    return None if due_at is None else due_at - DUE_AFTER_TIMER_MS


def _encode_clock(clock: Clock) -> dict[str, Value | None]:
    return {
        "cw": number(clock.white_ms),
        "cb": number(clock.black_ms),
        "ct": nonzero(clock.turn_at),
        "sm": nonzero(clock.served_ms),
    }


def _decode_clock(item: Item) -> Clock:
    return Clock(
        white_ms=read_number(item, "cw"),
        black_ms=read_number(item, "cb"),
        turn_at=read_count(item, "ct"),
        served_ms=read_count(item, "sm"),
    )


def _pack_control(control: TimeControl) -> str:
    """``900000/60000/0``: in all, for a move, increment; a limit that is not set is empty."""
    parts = (control.total_ms, control.per_move_ms, control.increment_ms)
    return "/".join("" if part is None else str(part) for part in parts)


def _unpack_control(packed: str) -> TimeControl:
    total, per_move, increment = packed.split("/")
    return TimeControl(
        total_ms=int(total) if total else None,
        per_move_ms=int(per_move) if per_move else None,
        increment_ms=int(increment),
    )


def _pack_offer(offer: Offer | None) -> Value | None:
    """``w12``: the side that offers, and the offer's `v`."""
    return None if offer is None else text(f"{offer.side[0]}{offer.v}")


def _unpack_offer(packed: str | None) -> Offer | None:
    return None if packed is None else Offer(_SIDES[packed[0]], int(packed[1:]))


def _pack_outcome(outcome: Outcome | None) -> Value | None:
    """``w/checkmate/1780000000000``: the winner or a dash, why, and as of when."""
    if outcome is None:
        return None
    winner = _NOBODY if outcome.winner is None else outcome.winner[0]
    return text(f"{winner}/{outcome.termination}/{outcome.at}")


def _unpack_outcome(packed: str | None) -> Outcome | None:
    if packed is None:
        return None
    winner, termination, at = packed.split("/")
    return Outcome(_SIDES.get(winner), Termination(termination), int(at))
