"""A refusal is only for a reason: what it says of the table was so while it was being decided."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from shared.game.refusal import IllegalMove
from shared.game.rulesets import RULESETS
from shared.game.side import Side
from shared.game.table import RECENT_AFTER, Policy, Status, Table
from tests.chaos.process import Process
from tests.chaos.referee.ledger import Ledger
from tests.chaos.referee.violation import hold

BEFORE_PLAY: Final = {Status.WAITING, Status.SEATED}
Said = dict[str, Any]
Reason = Callable[[Table, Side, Said], bool]


def check(code: str, process: Process, ledger: Ledger, side: Side, policy: Policy) -> None:
    """At some instant between its beginning and now the reason held."""
    said = msgspec.json.decode(process.cause.event["body"])
    said["receivedAt"] = process.cause.received_at
    said["patience"] = policy.patience_ms
    said["began"] = process.started_at + process.skew_ms
    reason = REASONS.get(code)
    if reason is None:
        return
    seen = ledger.since(process.started_at)
    held = any(reason(table, table.side_of(_player(ledger, side)) or side, said) for table in seen)
    hold(held, "a refusal has a reason", code=code, said=said, stood=seen)


def _player(ledger: Ledger, side: Side) -> Any:  # noqa: ANN401 - whoever sits there
    return ledger.table.seat(side).player_id


def _is_stale(table: Table, side: Side, said: Said) -> bool:
    if said["game"] != table.game:
        return True
    if said["action"] in {"move", "offerDraw", "claimFlag"}:
        return bool(said["ply"] != table.ply)
    is_full = said["action"] == "offerRematch" and len(table.seat(side).recent) >= RECENT_AFTER
    return bool(said["ply"] > table.ply) or is_full


def _is_illegal(table: Table, side: Side, said: Said) -> bool:
    if table.status is not Status.LIVE or side is not table.on_move or said["ply"] != table.ply:
        return False
    try:
        RULESETS[table.ruleset].play(table.position, said["uci"])
    except IllegalMove:
        return True
    return False


def _flag_at(table: Table) -> int | None:
    control, clock = table.time_control, table.clock
    limits = [clock.remaining(table.on_move), control.per_move_ms]
    known = [limit for limit in limits if limit is not None]
    return None if not known else clock.turn_at + min([*known, 60_000] if table.ply < 2 else known)


def _is_too_late(table: Table, side: Side, said: Said) -> bool:
    flag_at = _flag_at(table) if table.status is Status.LIVE else None
    return side is table.on_move and flag_at is not None and bool(said["receivedAt"] >= flag_at)


def _is_too_early(table: Table, side: Side, said: Said) -> bool:
    flag_at = _flag_at(table)
    is_live = table.status is Status.LIVE
    return is_live and (flag_at is None or said["began"] < flag_at + said["patience"])


def _stands(table: Table, side: Side, said: Said) -> bool:
    offer = table.draw_offer if said["action"] == "offerDraw" else table.rematch_offer
    return offer is not None and offer.side is side


def _has_no_offer(table: Table, side: Side, said: Said) -> bool:
    is_draw = said["action"].endswith("Draw")
    offer = table.draw_offer if is_draw else table.rematch_offer
    return offer is None or offer.v != said["v"] or offer.side is side


REASONS: Final[dict[str, Reason]] = {
    "gameOver": lambda table, _side, _said: table.status is Status.OVER and not table.is_closed,
    "tableClosed": lambda table, _side, _said: table.is_closed,
    "gameNotOver": lambda table, _side, _said: table.status is not Status.OVER,
    "notLive": lambda table, _side, _said: table.status in BEFORE_PLAY,
    "notYourTurn": lambda table, side, _said: table.on_move is not side,
    "abortTooLate": lambda table, _side, _said: table.ply >= 2,
    "drawTooSoon": lambda table, _side, _said: table.ply < 2,
    "offerDeclined": lambda table, side, _said: table.seat(side).declined_ply is not None,
    "offerStands": _stands,
    "noSuchOffer": _has_no_offer,
    "stalePly": _is_stale,
    "illegalMove": _is_illegal,
    "tooLate": _is_too_late,
    "tooEarly": _is_too_early,
}
