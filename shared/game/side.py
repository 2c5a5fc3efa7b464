"""The two sides of a game: first and second mover, whatever colours are painted."""

from enum import StrEnum


class Side(StrEnum):
    """White moves first, in every ruleset."""

    WHITE = "white"
    BLACK = "black"

    @property
    def other(self) -> "Side":
        """The opponent's side."""
        return Side.BLACK if self is Side.WHITE else Side.WHITE

    @staticmethod
    def on_move(ply: int) -> "Side":
        """The side that plays ``ply`` (half-moves counted from 0)."""
        return Side.BLACK if ply % 2 else Side.WHITE
