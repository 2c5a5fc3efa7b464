"""How a game ends other than on the board: resigned, aborted, flagged, abandoned, closed.

Fewer than two plies: aborted, whatever the reason (D10). Against a side that cannot mate, a flag
or an abandonment is a draw (D2). Clocks are frozen as of the instant the verdict is dated.
"""

from dataclasses import replace

from shared.game.clock import FIRST_PLIES, stop
from shared.game.events import Change, Event, Happened
from shared.game.outcome import Outcome, Termination
from shared.game.side import Side
from shared.game.table import Status, Table


def end(table: Table, outcome: Outcome, by: Side | None, now: int) -> Change:
    """The table with its game ended as of `outcome.at`; whatever was pending dies with it."""
    clock = table.clock
    if table.status is Status.LIVE:
        clock = stop(clock, table.on_move, outcome.at)
    ended = finish(replace(table, clock=clock), outcome, now)
    return Change(ended.seen(), Event(Happened.ENDED, by))


def finish(table: Table, outcome: Outcome, now: int) -> Table:
    """The table over, with nothing pending: no offer, no timer, no probe, nobody waited for."""
    return replace(
        table,
        status=Status.OVER,
        since=now,
        outcome=outcome,
        draw_offer=None,
        rematch_offer=None,
        timer_at=None,
        white=replace(table.white, probed_at=None, is_away_told=False),
        black=replace(table.black, probed_at=None, is_away_told=False),
    )


def lost(table: Table, loser: Side, termination: Termination, at: int) -> Outcome:
    """The outcome when `loser` loses by something other than the board, as of `at`."""
    if table.ply < FIRST_PLIES:
        return Outcome(None, Termination.ABORTED, at)
    if termination is not Termination.RESIGNATION and not _can_mate(table, loser.other):
        return Outcome(None, termination, at)
    return Outcome(loser.other, termination, at)


def _can_mate(table: Table, side: Side) -> bool:
    # Imported here: functions that only attach and detach must not pay for a chess library.
    from shared.game.rulesets import RULESETS  # noqa: PLC0415

    return RULESETS[table.ruleset].can_mate(table.position, side)
