"""Who sits where: one seat a player, released at the end, and only sockets that are alive."""

from shared.game.due import PROBE_ANSWER_MS
from shared.game.ids import ConnectionId, PlayerId
from shared.game.table import MAX_CONNECTIONS, Seat, Status
from shared.service.ports import ConnectionKey
from tests.chaos.gateway import Socket
from tests.chaos.referee.ledger import Written
from tests.chaos.referee.violation import hold
from tests.support.fakes import Memory

TOLD_AFTER_MS = 3_000
PROBE_AFTER_MS = {Status.LIVE: 45_000, Status.WAITING: 300_000}
Sockets = dict[ConnectionId, Socket]


def check(w: Written, sockets: Sockets) -> None:
    """Seats, sockets and signs of life are as they should be after this write."""
    check_players(w.memory)
    for player_id, was, now in w.seats():
        if w.after.status is not Status.OVER:
            held = w.memory.players[player_id].seat
            hold(held == w.after.table_id, "who is seated holds the seat", player=player_id)
        _check_sockets(w, player_id, was, now, sockets)
        _check_absence(w, player_id, was, now)
        _check_signs(w, player_id, was, now)


def check_players(memory: Memory) -> None:
    """Every seat held is at a table that seats its holder and is not over."""
    for player_id, player in memory.players.items():
        if player.seat is not None:
            table = memory.tables.get(player.seat)
            seats_him = table is not None and table.side_of(player_id) is not None
            hold(seats_him, "a seat held is a seat at a table", player=player_id)
            is_over = table is None or table.status is Status.OVER
            hold(not is_over, "a seat is released at the end", player=player_id)


def _check_sockets(w: Written, player_id: PlayerId, was: Seat, now: Seat, sockets: Sockets) -> None:
    hold(len(now.connections) <= MAX_CONNECTIONS, "at most four connections a seat")
    hold(len(set(now.connections)) == len(now.connections), "no connection twice")
    for added in set(now.connections) - set(was.connections):
        key = ConnectionKey(player_id, added)
        hold(key in w.memory.alive, "only a living connection is seated", connection=added)
        hold(w.memory.alive[key] == w.after.table_id, "a seated connection knows its table")
    gone = set(was.connections) - set(now.connections)
    is_fifth = len(was.connections) == MAX_CONNECTIONS and bool(
        set(now.connections) - set(was.connections)
    )
    evicted = {was.connections[0]} if is_fifth else set()
    for removed in gone - evicted:
        is_closed = removed not in sockets or not sockets[removed].is_open
        is_silent = _has_failed_probe(w, player_id, was)
        hold(is_closed or is_silent, "only the gone are gone", connection=removed)


def _has_failed_probe(w: Written, player_id: PlayerId, was: Seat) -> bool:
    """Whether he was asked, 15 s ago, and has not been heard since."""
    if w.process.cause.action != "" or was.probed_at is None:
        return False
    is_heard = w.ledger.heard.get(player_id, 0) > w.ledger.probed.get(player_id, w.now)
    return w.clock >= was.probed_at + PROBE_ANSWER_MS and not is_heard


def _check_absence(w: Written, player_id: PlayerId, was: Seat, now: Seat) -> None:
    hold((now.away_since is None) == bool(now.connections), "away means without connection")
    if now.is_away_told and not was.is_away_told:
        is_time = now.away_since is not None and w.clock >= now.away_since + TOLD_AFTER_MS
        hold(is_time and w.after.status is Status.LIVE, "away is told after 3 s in play")
    if (
        was.is_away
        and now.is_away
        and w.after.status is Status.LIVE
        and w.before.game == w.after.game
    ):
        _check_restart(w, player_id, was, now)
    if now.away_since == was.away_since or now.away_since is None:
        return
    if was.away_since is not None:
        other = next(seat for player, seat, _ in w.seats() if player != player_id)
        hold(other.is_away, "the countdown starts anew when the other returns")
        hold(w.began <= now.away_since <= w.latest, "the countdown starts now")
    else:
        _check_loss(w, was, now.away_since)


def _check_restart(w: Written, player_id: PlayerId, was: Seat, now: Seat) -> None:
    """When one of two who are away returns, the other's 60 s start then."""
    other, other_now = next((seat, now) for player, seat, now in w.seats() if player != player_id)
    if other.is_away and not other_now.is_away:
        hold(now.away_since != was.away_since, "the countdown starts anew when one returns")


def _check_loss(w: Written, was: Seat, away_since: int) -> None:
    """Counted from the disconnect, from the 410, or from when the probe ran out."""
    floor = max(w.before.since, was.heard_at)
    told = (
        [max(w.process.cause.received_at, floor)]
        if w.process.cause.function == "disconnect"
        else []
    )
    if was.probed_at is not None:
        told.append(max(was.probed_at + PROBE_ANSWER_MS, floor))
    is_found_gone = max(w.began, floor) <= away_since <= max(w.clock, floor)
    hold(
        away_since in told or (is_found_gone and w.process.cause.function != "disconnect"),
        "a loss counts from when it was known",
        away_since=away_since,
        told=told,
    )


def _check_signs(w: Written, player_id: PlayerId, was: Seat, now: Seat) -> None:
    if now.player_id == was.player_id:
        hold(now.heard_at >= was.heard_at, "what was heard stays heard")
    is_heard = now.heard_at != was.heard_at
    hold(
        not is_heard or now.heard_at <= w.latest,
        "nothing is heard before its time",
        heard_at=now.heard_at,
    )
    if now.probed_at is not None and now.probed_at != was.probed_at:
        w.ledger.probed[player_id] = w.now
        every = PROBE_AFTER_MS.get(w.after.status, 0)
        hold(w.process.cause.action == "", "only timers probe")
        hold(w.clock >= was.heard_at + every, "probed after a silence", heard_at=was.heard_at)
