"""leaveTable: get up. In play it resigns; before play it closes the table."""

from typing import ClassVar

from shared.game.actions.action import Asked, GameAction
from shared.game.events import Change
from shared.game.outcome import Outcome, Termination
from shared.game.side import Side
from shared.game.table import Status, Table
from shared.game.verdicts import end, lost


class LeaveTable(GameAction, frozen=True, kw_only=True, tag="leaveTable"):
    """Allowed at every stage before the end; a table that is over holds nobody."""

    allowed_in: ClassVar[frozenset[Status]] = frozenset(Status) - {Status.OVER}

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:
        """The table closed, the game aborted (D10) or resigned, as of the receipt."""
        at = max(asked.received_at, table.since, table.clock.turn_at)
        if table.status is Status.LIVE:
            return end(table, lost(table, side, Termination.RESIGNATION, at), side, asked.now)
        return end(table, Outcome(None, Termination.CLOSED, at), side, asked.now)
