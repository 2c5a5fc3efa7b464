"""claimFlag: point out that the side on move has run out of time."""

from typing import ClassVar

from shared.game.actions.action import Asked, GameAction
from shared.game.clock import flag_at
from shared.game.events import Change
from shared.game.outcome import Termination
from shared.game.refusal import TooEarly
from shared.game.side import Side
from shared.game.table import Table
from shared.game.verdicts import end, lost


class ClaimFlag(GameAction, frozen=True, kw_only=True, tag="claimFlag"):
    """A verdict is written only when patience is over too, dated at the fall of the flag."""

    needs_current_ply: ClassVar[bool] = True

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:  # noqa: ARG002 - the shape of every action
        """The game lost on time by the side on move. Raises TooEarly (``dueAt``, where known)."""
        flag = flag_at(table.clock, table.time_control, table.ply)
        if flag is None:
            raise TooEarly
        if asked.now < flag + asked.policy.patience_ms:
            raise TooEarly(dueAt=flag + asked.policy.patience_ms)
        outcome = lost(table, table.on_move, Termination.TIME_FORFEIT, flag)
        return end(table, outcome, table.on_move, asked.now)
