"""Tables on their way through the store: made, joined, played, ended, without judging a move."""

from dataclasses import dataclass, field, replace
from uuid import uuid4

from shared.game.clock import TimeControl
from shared.game.ids import ConnectionId, Fen, PlayerId, TableId
from shared.game.outcome import Outcome, Termination
from shared.game.seating import Sitter, Wishes, make_table, sit_down
from shared.game.side import Side
from shared.game.table import Status, Table
from shared.game.verdicts import finish
from shared.service.ports import (
    Arrival,
    ConnectionKey,
    GameRecord,
    NewTable,
    TableMeta,
    TableWrite,
)
from shared.store.connections import Connections
from shared.store.tables import Tables

NOW = 1_800_000_000_000
START_FEN = Fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")


def new_id() -> str:
    """Sixteen characters that nobody else has."""
    return uuid4().hex[:16]


def somebody() -> ConnectionKey:
    """A player and one of his connections, not yet open."""
    return ConnectionKey(PlayerId(new_id()), ConnectionId(new_id()))


def arrived(key: ConnectionKey | None = None) -> ConnectionKey:
    """The connection, open."""
    key = key or somebody()
    Connections().open(Arrival(key, "1.4.0", "web", "nl", NOW))
    return key


def departed(key: ConnectionKey | None = None) -> ConnectionKey:
    """The connection, open once and closed since."""
    key = arrived(key)
    Connections().close(key, NOW)
    return key


def new_table(maker: ConnectionKey, code: str | None = None) -> NewTable:
    """A table that the maker is about to make."""
    table_id = TableId(new_id())
    sitter = Sitter(maker.player_id, maker.connection_id, b"made")
    wishes = Wishes("standard", TimeControl(), Side.WHITE)
    table = replace(make_table(table_id, wishes, sitter, START_FEN, NOW).table, rev=1)
    meta = TableMeta(table_id, code or new_id()[:10], "5" * 24, NOW)
    return NewTable(table, meta, maker, NOW)


def joining(waiting: Table, joiner: ConnectionKey, code: str, now: int = NOW) -> TableWrite:
    """The write that seats the second player."""
    sitter = Sitter(joiner.player_id, joiner.connection_id, b"joined")
    after = replace(sit_down(waiting, sitter, now).table, rev=waiting.rev + 1)
    return TableWrite(
        waiting,
        after,
        claims=(joiner.player_id,),
        attaches=joiner,
        takes_code=code,
        now=now,
    )


def moving(table: Table, move: bytes = b"\x03\x0c") -> TableWrite:
    """The write of one more ply, and nothing along with it."""
    clock = replace(table.clock, turn_at=table.clock.turn_at + 1_000)
    after = replace(
        table,
        moves=table.moves + move,
        thinks=table.thinks + b"\x64",
        clock=clock,
        v=table.v + 1,
        rev=table.rev + 1,
    )
    return TableWrite(table, after, now=NOW)


def attaching(table: Table, key: ConnectionKey) -> TableWrite:
    """The write that attaches one more connection to White's seat."""
    seat = replace(table.white, connections=(*table.white.connections, key.connection_id))
    return TableWrite(table, replace(table, white=seat, rev=table.rev + 1), attaches=key, now=NOW)


def ending(table: Table, winner: Side | None = Side.WHITE, now: int = NOW + 1_000) -> TableWrite:
    """The write that ends the game with a result."""
    outcome = Outcome(winner, Termination.RESIGNATION if winner else Termination.AGREEMENT, now)
    after = replace(finish(table, outcome, now).seen(), rev=table.rev + 1)
    white, black = players_of(table)
    return TableWrite(
        table,
        after,
        releases=(white, black),
        finished=GameRecord(after, outcome, white, black),
        now=now,
    )


def rematching(over: Table, now: int = NOW + 2_000) -> TableWrite:
    """The write that begins the next game at a table that is over, colours changed."""
    after = replace(
        over,
        white=over.black,
        black=over.white,
        status=Status.LIVE,
        game=over.game + 1,
        since=now,
        outcome=None,
        moves=b"",
        thinks=b"",
        v=over.v + 1,
        rev=over.rev + 1,
    )
    return TableWrite(over, after, claims=players_of(after), now=now)


def players_of(table: Table) -> tuple[PlayerId, PlayerId]:
    """Who sits at a table with both seats taken."""
    white, black = table.white.player_id, table.black.player_id
    if white is None or black is None:
        raise ValueError(table)
    return white, black


@dataclass
class Seated:
    """A live table in the store, its two players, and the code they met by."""

    white: ConnectionKey = field(default_factory=arrived)
    black: ConnectionKey = field(default_factory=arrived)
    new: NewTable = field(init=False)
    table: Table = field(init=False)
    tables: Tables = field(default_factory=lambda: Tables(lambda: NOW))

    def __post_init__(self) -> None:
        """Made by White, joined by Black."""
        self.new = new_table(self.white)
        self.tables.create(self.new)
        join = joining(self.new.table, self.black, self.new.meta.code)
        self.tables.write(join)
        self.table = join.after

    def write(self, write: TableWrite) -> Table:
        """The write made; what the table is then."""
        self.tables.write(write)
        self.table = write.after
        return self.table
