"""What is written when something has fallen due: one change at a time, the earliest first."""

from dataclasses import replace

from shared.game.due import Due, Matter, dues
from shared.game.events import Change, Event, Happened
from shared.game.outcome import Outcome, Termination
from shared.game.presence import detach
from shared.game.side import Side
from shared.game.table import Policy, Table
from shared.game.verdicts import end, lost


def settle(table: Table, now: int, policy: Policy) -> Change | None:
    """The table after the earliest thing that may be written at `now`; None: nothing is due."""
    for due in dues(table, policy):
        if due.written_from(policy) <= now:
            return _write(table, due, now)
    return None


def _write(table: Table, due: Due, now: int) -> Change:
    match due.matter:
        case Matter.FLAG:
            return _lose(table, _side(due), Termination.TIME_FORFEIT, due.at, now)
        case Matter.REMOVAL:
            return _lose(table, _side(due), Termination.ABANDONMENT, due.at, now)
        case Matter.IDLE:
            return end(table, Outcome(None, Termination.ABORTED, due.at), None, now)
        case Matter.CLOSE:
            return end(table, Outcome(None, Termination.CLOSED, due.at), due.side, now)
        case Matter.TELL_AWAY:
            return _tell_away(table, _side(due))
        case Matter.PROBE:
            return _probe(table, _side(due), now)
        case Matter.PROBE_FAILED:
            return _lose_sight(table, _side(due), due.at)


def _side(due: Due) -> Side:
    if due.side is None:
        raise ValueError(due)
    return due.side


def _lose(table: Table, loser: Side, termination: Termination, at: int, now: int) -> Change:
    return end(table, lost(table, loser, termination, at), loser, now)


def _tell_away(table: Table, side: Side) -> Change:
    told = replace(table.seat(side), is_away_told=True)
    return Change(table.with_seat(side, told).seen(), Event(Happened.AWAY, side))


def _probe(table: Table, side: Side, now: int) -> Change:
    seat = replace(table.seat(side), probed_at=now)
    return Change(table.with_seat(side, seat), probed=seat.connections)


def _lose_sight(table: Table, side: Side, at: int) -> Change:
    change = detach(table, side, table.seat(side).connections, at)
    if change is None:
        raise ValueError(side)
    return change
