"""resign: give the game up. Before both have moved it aborts the game (D10)."""

from shared.game.actions.action import Asked, GameAction
from shared.game.events import Change
from shared.game.outcome import Termination
from shared.game.side import Side
from shared.game.table import Table
from shared.game.verdicts import end, lost


class Resign(GameAction, frozen=True, kw_only=True, tag="resign"):
    """A player may resign on anybody's turn; resigning loses whatever the material (D2)."""

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:
        """The game lost by `side` as of the receipt."""
        at = max(asked.received_at, table.clock.turn_at)
        return end(table, lost(table, side, Termination.RESIGNATION, at), side, asked.now)
