"""Who is there: the sockets of a seat, being away, coming back, and the question "still there?".

DESIGN section 4. A seat without a connection is away; `$disconnect` and a 410 only ever remove
the connection they name. Knows nothing of how the pieces move.
"""

from dataclasses import replace

from shared.game.clock import start_clock
from shared.game.events import Change, Event, Happened
from shared.game.ids import ConnectionId
from shared.game.side import Side
from shared.game.table import MAX_CONNECTIONS, Seat, Status, Table


def attach(table: Table, side: Side, connection_id: ConnectionId, now: int) -> Change:
    """The table with that connection on the seat: heard, no longer away; play may begin.

    A fifth connection evicts the oldest.
    """
    seat = table.seat(side)
    others = tuple(known for known in seat.connections if known != connection_id)
    kept = others[-(MAX_CONNECTIONS - 1) :]
    present = replace(
        hear(seat, now), connections=(*kept, connection_id), away_since=None, is_away_told=False
    )
    change = _announce_return(table.with_seat(side, present), side, seat, now)
    return replace(change, evicted=others[: -len(kept)] if len(kept) < len(others) else ())


def hear(seat: Seat, now: int) -> Seat:
    """The seat as one that gave a sign of life at `now`."""
    return replace(seat, heard_at=max(seat.heard_at, now), probed_at=None)


def detach(table: Table, side: Side, gone: tuple[ConnectionId, ...], at: int) -> Change | None:
    """The table without those connections; None: none was here.

    Where none is left it is away since `at`, but not since before it was last heard: goodbyes come
    in any order.
    """
    seat = table.seat(side)
    kept = tuple(known for known in seat.connections if known not in gone)
    if kept == seat.connections:
        return None
    away_since = seat.away_since if kept else max(at, table.since, seat.heard_at)
    probed_at = seat.probed_at if kept else None
    left = replace(seat, connections=kept, away_since=away_since, probed_at=probed_at)
    return Change(table.with_seat(side, left))


def begin(table: Table, now: int) -> Table:
    """The table in play, White's clock running from `now`."""
    return replace(
        table,
        status=Status.LIVE,
        since=now,
        began_at=now,
        clock=start_clock(table.time_control, now),
        white=replace(table.white, heard_at=max(table.white.heard_at, now)),
        black=replace(table.black, heard_at=max(table.black.heard_at, now)),
    )


def both_present(table: Table) -> bool:
    """Whether both seats are taken and connected, so that play can begin."""
    return all(seat.player_id and seat.connections for seat in (table.white, table.black))


def _announce_return(table: Table, side: Side, before: Seat, now: int) -> Change:
    if table.status is Status.SEATED and both_present(table):
        return Change(begin(table, now).seen(), Event(Happened.BEGAN, side))
    if table.status is not Status.LIVE or not before.is_away:
        return Change(table)
    waited_for = _restart_absence(table, side.other, now)
    if not before.is_away_told:
        return Change(waited_for)
    return Change(waited_for.seen(), Event(Happened.BACK, side))


def _restart_absence(table: Table, side: Side, now: int) -> Table:
    """The other side's countdown starts anew: while both were away there was none."""
    seat = table.seat(side)
    if not seat.is_away:
        return table
    return table.with_seat(side, replace(seat, away_since=now))
