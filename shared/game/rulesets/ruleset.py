"""What a ruleset must know: the port between a table and the way the pieces move."""

from dataclasses import dataclass
from typing import Protocol

from shared.game.ids import Fen, San, Uci
from shared.game.outcome import Termination
from shared.game.side import Side
from shared.game.table import Position


@dataclass(frozen=True, slots=True)
class Ending:
    """That the position ends the game by itself: why, and who has won."""

    termination: Termination
    winner: Side | None


@dataclass(frozen=True, slots=True)
class Played:
    """A legal move, played: what to keep of it, and what it did."""

    packed: bytes
    """The move in two bytes."""
    uci: Uci
    san: San
    irreversible_fen: Fen | None
    """The position after it, where nothing before can come again; None otherwise."""
    ending: Ending | None


@dataclass(frozen=True, slots=True)
class Scene:
    """What one viewer sees of a position: pieces, check, and the moves he may choose from."""

    fen: Fen
    in_check: bool
    legal: tuple[Uci, ...]


class Ruleset(Protocol):
    """One way to play. Stateless: everything is in the position."""

    name: str

    def start_fen(self) -> Fen:
        """The position at ply 0."""
        ...

    def play(self, position: Position, uci: str) -> Played:
        """The move, judged and played. Raises IllegalMove with its reason."""
        ...

    def can_mate(self, position: Position, side: Side) -> bool:
        """Whether `side` can still mate with its material (FIDE 6.9, DESIGN D2)."""
        ...

    def scene(self, position: Position, viewer: Side | None) -> Scene:
        """What `viewer` (None: a spectator) may see; legal moves only for the side on move."""
        ...

    def ucis(self, packed: bytes) -> tuple[Uci, ...]:
        """The packed moves of a game as text, from its first ply."""
        ...
