"""What the use cases need from the outside: protocols that the adapters keep.

Every read of a repository is strongly consistent; a row past its expiry reads as absent. A write
that found something else than it expected raises Conflict.
"""

from dataclasses import dataclass, field
from typing import Protocol

from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.game.outcome import Outcome
from shared.game.table import Table


class Conflict(Exception):
    """Somebody else wrote first, or there were too many writes: nothing of this one happened.

    Or nobody can say whether it did. Whoever asks again reads first, and would find it.
    """


class ConnectionLost(Exception):
    """The connection that was to be attached is dead: its row is gone or a tombstone."""


class AlreadySeated(Exception):
    """A player that was to be seated holds a seat elsewhere."""

    def __init__(self, player_id: PlayerId) -> None:
        """Name the player whose seat could not be claimed."""
        super().__init__(player_id)
        self.player_id = player_id


@dataclass(frozen=True, slots=True)
class ConnectionKey:
    """One connection of one player: the key of its row."""

    player_id: PlayerId
    connection_id: ConnectionId


@dataclass(frozen=True, slots=True)
class Arrival:
    """A connection as it was opened."""

    key: ConnectionKey
    version: str
    platform: str
    language: str
    at: int


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """What is known of a player: the seat held now, and the table he last sat at."""

    player_id: PlayerId
    seat: TableId | None = None
    last_table: TableId | None = None
    last_table_until: int = 0
    """Epoch ms until which `last_table` is shown."""


@dataclass(frozen=True, slots=True)
class TableMeta:
    """What moves never read: the code to join by, and the secret of a link for watchers."""

    table_id: TableId
    code: str
    link_secret: str
    created_at: int


@dataclass(frozen=True, slots=True)
class CodeRecord:
    """A code in use: whose table, and whether its second seat is taken (`until`: epoch ms)."""

    code: str
    table_id: TableId
    is_taken: bool
    until: int


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game as it is kept for good."""

    table: Table
    outcome: Outcome
    white: PlayerId
    black: PlayerId


@dataclass(frozen=True, slots=True)
class TableWrite:
    """One write of a table on condition that its stored `rev` is still `before.rev`.

    `after.rev` is `before.rev + 1`. What goes along in the same transaction: seats claimed and
    released, a connection that must be alive, a finished game's record and totals, a code taken.
    With nothing along it is a single conditional update.
    """

    before: Table
    after: Table
    claims: tuple[PlayerId, ...] = ()
    """Players who must hold no other seat and hold this one afterwards."""
    releases: tuple[PlayerId, ...] = ()
    """Players who hold this seat and hold none afterwards; this becomes their `last_table`."""
    attaches: ConnectionKey | None = None
    """A connection whose row must be alive, and which is told its table."""
    finished: GameRecord | None = None
    """A game with a result: its record, both history rows and both players' totals."""
    takes_code: str | None = None
    now: int = 0


@dataclass(frozen=True, slots=True)
class NewTable:
    """Everything a new table is made of, written in one transaction."""

    table: Table
    meta: TableMeta
    maker: ConnectionKey
    now: int


class CodeClash(Exception):
    """The code is in use."""


class Tables(Protocol):
    """The tables."""

    def get(self, table_id: TableId) -> Table | None:
        """The table as it stands."""
        ...

    def meta(self, table_id: TableId) -> TableMeta | None:
        """The part that moves never read."""
        ...

    def create(self, new: NewTable) -> None:
        """STATE, META, code, seat and connection, all or nothing.

        Raises CodeClash, AlreadySeated, ConnectionLost, Conflict (the table exists already, or
        somebody wrote at the same time).
        """
        ...

    def write(self, write: TableWrite) -> None:
        """The write, all or nothing. Raises Conflict, AlreadySeated, ConnectionLost."""
        ...

    def due(self, now: int) -> list[TableId]:
        """The tables whose armed timer should have settled them by `now`."""
        ...


class Codes(Protocol):
    """The codes to join by."""

    def get(self, code: str) -> CodeRecord | None:
        """The code's table, while the code is valid."""
        ...


class Players(Protocol):
    """The players."""

    def get(self, player_id: PlayerId) -> PlayerRecord | None:
        """The player, if he ever sat anywhere."""
        ...


class Connections(Protocol):
    """The sockets of the players."""

    def open(self, arrival: Arrival) -> None:
        """A row for the connection."""
        ...

    def close(self, key: ConnectionKey, now: int) -> TableId | None:
        """A tombstone in its place; the table it was attached to, if any."""
        ...


class Limits(Protocol):
    """Counters of what somebody did in a window of time."""

    def count(self, subject: str, window_ms: int, now: int) -> int:
        """How often, in the current window, without counting anything."""
        ...

    def add(self, subject: str, window_ms: int, now: int) -> int:
        """How often, after counting once more."""
        ...


@dataclass(frozen=True, slots=True)
class Minimum:
    """The oldest version of a platform's app that may enter, and where to get a newer one."""

    version: str = "0"
    store: str = ""


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """What an operator changes without a deploy: minimum versions per platform."""

    minimums: dict[str, Minimum] = field(default_factory=dict)


class SettingsSource(Protocol):
    """The live settings, at most a minute old; the last good ones where they cannot be read."""

    def current(self) -> LiveSettings:
        """The settings to go by."""
        ...


class Timers(Protocol):
    """Wake-ups. A message is never a fact: STATE alone says what is due."""

    def send(self, table_id: TableId, timer_at: int, now: int) -> None:
        """Wake the table at `timer_at`, or at the longest delay there is if that is sooner."""
        ...


class Posts(Protocol):
    """Messages to connections."""

    def post(self, letters: dict[ConnectionId, bytes]) -> set[ConnectionId]:
        """Each payload to its connection, side by side; those that are gone for good."""
        ...

    def close(self, connection_id: ConnectionId) -> None:
        """The socket closed, if it still is open."""
        ...

    def open(self) -> None:
        """Whatever the first post would have to wait for, done."""
        ...


class Tokens(Protocol):
    """Identity tokens."""

    def sign(self, player_id: PlayerId) -> str:
        """A token that says who the player is."""
        ...


class Versions(Protocol):
    """The version gate: a courtesy to old apps, not security."""

    def newer_needed(self, version: str, platform: str) -> Minimum | None:
        """What an outdated app must become; None: it may enter."""
        ...
