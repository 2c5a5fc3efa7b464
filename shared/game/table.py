"""The table: who sits where, what was played, and what is left on the clocks.

The aggregate that every rule reads and every action replaces. It holds the moves as the rulesets
packed them, so that presence and timers can be decided without knowing how the pieces move.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from shared.game.clock import Clock, TimeControl
from shared.game.ids import ConnectionId, Fen, PlayerId, TableId
from shared.game.outcome import Outcome, Termination
from shared.game.side import Side

RECENT_ACTIONS = 2
RECENT_AFTER = 8
"""How many are known once the game is over: nothing else tells one rematch offer from another."""
MAX_CONNECTIONS = 4


class Status(StrEnum):
    """Where a table stands."""

    WAITING = "waiting"
    """One seat is empty."""
    SEATED = "seated"
    """Both are seated, play has not begun: somebody has yet to connect."""
    LIVE = "live"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Policy:
    """What an operator may set, and every verdict depends on (ms)."""

    patience_ms: int = 2_000
    absence_ms: int = 60_000


@dataclass(frozen=True, slots=True)
class Done:
    """An action that was carried out: the hash of its id, and the `v` it led to."""

    digest: bytes
    v: int


@dataclass(frozen=True, slots=True)
class Offer:
    """An open offer, and the `v` under which the others know it."""

    side: Side
    v: int


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table, with its player and his sockets; instants in epoch ms."""

    player_id: PlayerId | None = None
    connections: tuple[ConnectionId, ...] = ()
    heard_at: int = 0
    probed_at: int | None = None
    away_since: int | None = None
    """Since when the seat has had no connection; removal counts from here."""
    is_away_told: bool = False
    recent: tuple[Done, ...] = ()
    declined_ply: int | None = None
    """The ply at which this side's last draw offer of this game was declined."""

    @property
    def is_away(self) -> bool:
        """Whether a player sits here without any connection."""
        return self.player_id is not None and not self.connections


@dataclass(frozen=True, slots=True)
class Position:
    """A ruleset's position: FEN at the last irreversible ply, the moves since, and secrets."""

    fen: Fen
    moves: bytes = b""
    secret: bytes = b""


@dataclass(frozen=True, slots=True)
class Table:
    """One table. `rev` guards writes and is never seen; `v` numbers what can be seen."""

    table_id: TableId
    ruleset: str
    time_control: TimeControl
    base_fen: Fen
    since: int
    """When the present status began."""
    white: Seat = Seat()
    black: Seat = Seat()
    rev: int = 0
    v: int = 0
    game: int = 1
    status: Status = Status.WAITING
    is_public: bool = False
    base_ply: int = 0
    moves: bytes = b""
    thinks: bytes = b""
    clock: Clock = field(default_factory=lambda: Clock(None, None, 0))
    began_at: int = 0
    draw_offer: Offer | None = None
    rematch_offer: Offer | None = None
    outcome: Outcome | None = None
    timer_at: int | None = None
    secret: bytes = b""

    @property
    def ply(self) -> int:
        """How many half-moves this game has seen."""
        return len(self.moves) // 2

    @property
    def on_move(self) -> Side:
        """The side whose turn it is."""
        return Side.on_move(self.ply)

    @property
    def is_closed(self) -> bool:
        """Whether the table was given up before play began."""
        return self.outcome is not None and self.outcome.termination is Termination.CLOSED

    @property
    def position(self) -> Position:
        """What a ruleset needs to go on from here."""
        return Position(self.base_fen, self.moves[2 * self.base_ply :], self.secret)

    def seat(self, side: Side) -> Seat:
        """The seat of `side`."""
        return self.white if side is Side.WHITE else self.black

    def side_of(self, player_id: PlayerId) -> Side | None:
        """Where the player sits, if he does."""
        if self.white.player_id == player_id:
            return Side.WHITE
        return Side.BLACK if self.black.player_id == player_id else None

    def done_v(self, player_id: PlayerId, digest: bytes) -> int | None:
        """The `v` that a recent action of the player led to; None: it is not known as done."""
        side = self.side_of(player_id)
        recent = self.seat(side).recent if side else ()
        return next((done.v for done in recent if done.digest == digest), None)

    def with_seat(self, side: Side, seat: Seat) -> "Table":
        """The table with that seat."""
        return replace(self, white=seat) if side is Side.WHITE else replace(self, black=seat)

    def seen(self) -> "Table":
        """The table one visible event later."""
        return replace(self, v=self.v + 1)


def remember(seat: Seat, digest: bytes, v: int, most: int = RECENT_ACTIONS) -> Seat:
    """The seat with an action added to the few that are known as done."""
    return replace(seat, recent=(*seat.recent, Done(digest, v))[-most:])
