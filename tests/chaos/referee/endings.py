"""How and when games end: by whom, as of when, once, and with what becomes of it outside."""

from shared.game.due import SEATING_MS, UNTIMED_MS
from shared.game.ids import PlayerId
from shared.game.outcome import Termination
from shared.game.rulesets import RULESETS
from shared.game.side import Side
from shared.game.table import Status
from tests.chaos.referee.ledger import Written
from tests.chaos.referee.violation import Violation, hold

MAKER_AWAY_MS = 900_000
BY_THEMSELVES = {
    Termination.CHECKMATE,
    Termination.STALEMATE,
    Termination.INSUFFICIENT_MATERIAL,
    Termination.THREEFOLD,
    Termination.FIFTY_MOVES,
}
GIVING_UP = {"abort", "resign", "leaveTable"}


def check(w: Written) -> None:
    """Where the table ends with this write, it ends as it should."""
    if not w.ends:
        hold(not w.write.releases and not w.write.finished, "only an ending releases seats")
        return
    outcome = w.after.outcome
    if outcome is None:
        raise Violation("an end has an outcome")
    players = {seat.player_id for seat in (w.after.white, w.after.black)} - {None}
    hold(set(w.write.releases) == players, "an ending releases both seats")
    hold(bool(w.write.finished) == outcome.has_result, "a result is recorded", outcome=outcome)
    hold(w.after.timer_at is None, "no timer after the end")
    hold(not (w.after.draw_offer or w.after.rematch_offer), "offers die with the game")
    w.ledger.results += outcome.has_result
    w.ledger.over_at.append(w.now)
    _check_reason(w, outcome.termination)


def _check_reason(w: Written, termination: Termination) -> None:
    action = w.process.cause.action
    match termination:
        case Termination.RESIGNATION:
            hold(action in {"resign", "leaveTable"}, "only the player resigns", action=action)
            hold(_winner_is_not_actor(w), "who resigns loses")
            _check_received(w)
        case Termination.AGREEMENT:
            hold(action in {"acceptDraw", "offerDraw"}, "a draw is agreed", action=action)
            hold(w.before.draw_offer is not None, "a draw was offered")
            _check_received(w)
        case Termination.TIME_FORFEIT:
            _check_verdict(w, [_flag(w)])
            hold(w.before.ply >= 2, "aborted before both have moved")
            _check_loser(w, w.before.on_move)
        case Termination.ABANDONMENT:
            _check_verdict(w, _removals(w))
            hold(w.before.ply >= 2, "aborted before both have moved")
            _check_abandoned(w)
        case Termination.ABORTED if action in GIVING_UP:
            hold(w.before.ply < 2, "no abort after both have moved")
            _check_received(w)
        case Termination.ABORTED:
            _check_aborted(w)
        case Termination.CLOSED:
            _check_closed(w)
        case _:
            hold(termination in BY_THEMSELVES and w.is_move, "a move ended it", w=termination)


def _check_received(w: Written) -> None:
    """Dated by the receipt, though not before the turn or the seating."""
    at, received_at = _at(w), w.process.cause.received_at
    hold(
        at == max(received_at, w.before.clock.turn_at) or at == w.before.since > received_at,
        "dated by the receipt",
        at=at,
        received_at=received_at,
    )
    flag_at = _flag(w) if w.before.status is Status.LIVE else None
    is_mover = w.before.side_of(_actor(w)) is w.before.on_move
    if flag_at is not None and is_mover:
        hold(received_at < flag_at, "too late for everything after the flag")


def _check_verdict(w: Written, dues: list[int | None]) -> None:
    """Not before patience is over, and dated at the instant it fell due."""
    at = _at(w)
    hold(at in dues, "a verdict is dated when it fell due", at=at, dues=dues)
    hold(w.latest >= at + w.policy.patience_ms, "no verdict before patience is over", at=at)
    action = w.process.cause.action
    hold(action in {"", "claimFlag"}, "time is judged by timers and claims", action=action)


def _check_loser(w: Written, loser: Side) -> None:
    can_mate = RULESETS[w.before.ruleset].can_mate(w.before.position, loser.other)
    right = loser.other if can_mate else None
    winner = w.after.outcome.winner if w.after.outcome else None
    hold(winner is right, "who cannot mate does not win", winner=winner, right=right)


def _check_abandoned(w: Written) -> None:
    gone = [side for side in Side if w.before.seat(side).is_away]
    hold(len(gone) == 1, "removed while the other is there", gone=gone)
    hold(w.before.seat(gone[0]).is_away_told, "away is announced before a removal")
    _check_loser(w, gone[0])


def _check_aborted(w: Written) -> None:
    idle = w.before.clock.turn_at + UNTIMED_MS if not w.before.time_control.has_clock else None
    dues = [idle] if w.before.ply >= 2 else [idle, _flag(w), *_removals(w)]
    _check_verdict(w, dues)


def _check_closed(w: Written) -> None:
    hold(w.before.status in {Status.WAITING, Status.SEATED}, "only before play")
    if w.process.cause.action == "leaveTable":
        return
    if w.before.status is Status.SEATED:
        due = w.before.since + SEATING_MS
    else:
        seat = w.before.white if w.before.white.player_id else w.before.black
        hold(seat.is_away, "a waiting table closes because its maker is away")
        due = (seat.away_since or 0) + MAKER_AWAY_MS
    hold(_at(w) == due, "closed as of when it fell due", at=_at(w), due=due)
    hold(w.clock >= due, "not closed too early", due=due)


def _removals(w: Written) -> list[int | None]:
    found: list[int | None] = []
    for side in Side:
        since = w.before.seat(side).away_since
        if since is not None and not w.before.seat(side.other).is_away:
            found.append(since + w.policy.absence_ms)
    return found


def _flag(w: Written) -> int | None:
    """The fall of the flag; `clocks` has settled the running turn by now, so not by its book."""
    clock, control = w.before.clock, w.before.time_control
    limits = [clock.remaining(w.before.on_move), control.per_move_ms]
    known = [limit for limit in limits if limit is not None]
    if not known:
        return None
    return clock.turn_at + min([*known, 60_000] if w.before.ply < 2 else known)


def _at(w: Written) -> int:
    return w.after.outcome.at if w.after.outcome else 0


def _actor(w: Written) -> PlayerId:
    return PlayerId(w.process.cause.player)


def _winner_is_not_actor(w: Written) -> bool:
    side = w.before.side_of(_actor(w))
    return w.after.outcome is not None and side is not None and w.after.outcome.winner is side.other
