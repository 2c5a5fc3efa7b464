"""How games end: who won, why, and the result as text.

Knows words only; which of them applies is decided by the rulesets, the actions and the verdicts.
"""

from dataclasses import dataclass
from enum import StrEnum

from shared.game.side import Side


class Termination(StrEnum):
    """Why a game, or a table without a game, ended."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficientMaterial"
    THREEFOLD = "threefold"
    FIFTY_MOVES = "fiftyMoves"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    TIME_FORFEIT = "timeForfeit"
    ABANDONMENT = "abandonment"
    ABORTED = "aborted"
    """Play began and fewer than two plies were played, or nobody moved for too long."""
    CLOSED = "closed"
    """The table was given up before play began."""


WITHOUT_RESULT = frozenset({Termination.ABORTED, Termination.CLOSED})


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who won (nobody: a draw, or no result at all), why, and as of when (epoch ms)."""

    winner: Side | None
    termination: Termination
    at: int

    @property
    def has_result(self) -> bool:
        """Whether the game counts: an aborted one does not."""
        return self.termination not in WITHOUT_RESULT

    @property
    def result(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` for a game without a result (PGN 8.1.1.7)."""
        if not self.has_result:
            return "*"
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner is Side.WHITE else "0-1"
