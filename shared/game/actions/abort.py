"""abort: call the game off before both have moved; no result, no rating (D10)."""

from shared.game.actions.action import Asked, GameAction
from shared.game.clock import FIRST_PLIES
from shared.game.events import Change
from shared.game.outcome import Outcome, Termination
from shared.game.refusal import TooManyPlies
from shared.game.side import Side
from shared.game.table import Table
from shared.game.verdicts import end


class Abort(GameAction, frozen=True, kw_only=True, tag="abort"):
    """Either side may abort while fewer than two plies are played."""

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:
        """The game aborted as of the receipt. Raises TooManyPlies."""
        if table.ply >= FIRST_PLIES:
            raise TooManyPlies
        at = max(asked.received_at, table.clock.turn_at)
        return end(table, Outcome(None, Termination.ABORTED, at), side, asked.now)
