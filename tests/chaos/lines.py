"""Short games that end by themselves, and a ruleset that remembers what it has worked out.

Histories start from positions a few moves before an end, so that every ending is frequent. What
the real ruleset says of a position is kept: it is pure, and asked the same things all the time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import chess

from shared.game.ids import Fen, Uci
from shared.game.refusal import IllegalMove
from shared.game.rulesets import RULESETS
from shared.game.rulesets.ruleset import Played, Scene
from shared.game.rulesets.standard import Standard
from shared.game.side import Side
from shared.game.table import Position

REMEMBERED: Final = 20_000


@dataclass(frozen=True, slots=True)
class Line:
    """A game: where it starts, its moves, and how it ends if they are played."""

    fen: str
    moves: tuple[str, ...]
    termination: str


def _line(termination: str, moves: str, fen: str = chess.STARTING_FEN) -> Line:
    return Line(fen, tuple(moves.split()), termination)


LINES: Final = (
    _line("checkmate", "f2f3 e7e5 g2g4 d8h4"),
    _line("checkmate", "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"),
    _line("threefold", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"),
    _line("stalemate", "f7f8 h8h7 f8f7 h7h8 g1g6", "7k/5K2/8/8/8/8/8/6Q1 w - - 0 1"),
    _line("checkmate", "g1g5 h8h7 g5g7", "7k/5K2/8/8/8/8/8/6Q1 w - - 0 1"),
    _line("insufficientMaterial", "g1h1 a8b8 h1h2", "k7/8/8/8/8/8/7p/6K1 w - - 0 1"),
    _line("insufficientMaterial", "g1h1 a8b8 h1g1 h3h2 g1h2", "k7/8/8/8/8/7p/8/6K1 w - - 0 1"),
    _line("fiftyMoves", "a1a2 h8h7 a2a3 h7h8", "7k/8/8/8/8/8/8/R3K3 w - - 96 80"),
    _line("", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5"),
    _line("", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5"),
)


@lru_cache(REMEMBERED)
def _play(position: Position, uci: str) -> Played | dict[str, str | int]:
    try:
        return Standard().play(position, uci)
    except IllegalMove as illegal:
        return illegal.parameters


@lru_cache(REMEMBERED)
def _can_mate(position: Position, side: Side) -> bool:
    return Standard().can_mate(position, side)


@lru_cache(REMEMBERED)
def _scene(position: Position, viewer: Side | None) -> Scene:
    return Standard().scene(position, viewer)


@lru_cache(REMEMBERED)
def _ucis(packed: bytes) -> tuple[Uci, ...]:
    return Standard().ucis(packed)


@dataclass(slots=True)
class Remembering:
    """The standard game from a position of one's own."""

    start: str
    name: str = "standard"

    def start_fen(self) -> Fen:
        """The position at ply 0."""
        return Fen(self.start)

    def play(self, position: Position, uci: str) -> Played:
        """The move, judged and played. Raises IllegalMove with its reason."""
        played = _play(position, uci)
        if isinstance(played, Played):
            return played
        raise IllegalMove(**played)

    def can_mate(self, position: Position, side: Side) -> bool:
        """Whether `side` can still mate with its material."""
        return _can_mate(position, side)

    def scene(self, position: Position, viewer: Side | None) -> Scene:
        """What the viewer sees."""
        return _scene(position, viewer)

    def ucis(self, packed: bytes) -> tuple[Uci, ...]:
        """The moves as text."""
        return _ucis(packed)


@contextmanager
def starting_from(line: Line) -> Iterator[None]:
    """Games begin where the line does."""
    real = RULESETS["standard"]
    RULESETS["standard"] = Remembering(line.fen)
    try:
        yield
    finally:
        RULESETS["standard"] = real
