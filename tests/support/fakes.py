"""The ports of the use cases, kept in memory: for tests of what the use cases do.

Conditions are the store's own: a write that finds something else than it expected changes nothing.
"""

from collections import Counter
from dataclasses import dataclass, field, replace

import msgspec

from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.game.table import Policy, Table
from shared.service.heal import heal_limit
from shared.service.ports import (
    AlreadySeated,
    Arrival,
    CodeClash,
    CodeRecord,
    Conflict,
    ConnectionKey,
    ConnectionLost,
    GameRecord,
    Minimum,
    NewTable,
    PlayerRecord,
    TableMeta,
    TableWrite,
)
from shared.service.world import Caller, World

CODE_FREE_MS = 7 * 24 * 60 * 60 * 1000
CODE_TAKEN_MS = 15 * 60 * 1000
LAST_TABLE_MS = 7 * 24 * 60 * 60 * 1000
SWEEP_AFTER_MS = 20_000
START = 1_800_000_000_000


@dataclass
class Memory:
    """Everything that is stored, sent and posted, and the one clock."""

    now: int = START
    tables: dict[TableId, Table] = field(default_factory=dict)
    metas: dict[TableId, TableMeta] = field(default_factory=dict)
    codes: dict[str, CodeRecord] = field(default_factory=dict)
    players: dict[PlayerId, PlayerRecord] = field(default_factory=dict)
    alive: dict[ConnectionKey, TableId | None] = field(default_factory=dict)
    buried: dict[ConnectionKey, TableId | None] = field(default_factory=dict)
    records: list[GameRecord] = field(default_factory=list)
    histories: Counter[PlayerId] = field(default_factory=Counter)
    """How many lines each player's history has."""
    totals: Counter[PlayerId] = field(default_factory=Counter)
    """How many games were counted for each player."""
    counters: Counter[str] = field(default_factory=Counter)
    sent: list[tuple[TableId, int]] = field(default_factory=list)
    posted: list[tuple[ConnectionId, dict[str, object]]] = field(default_factory=list)
    closed: list[ConnectionId] = field(default_factory=list)
    dead: set[ConnectionId] = field(default_factory=set)
    minimums: dict[str, Minimum] = field(default_factory=dict)
    drawn: int = 0
    conflicts: int = 0
    """How many of the next writes find that somebody else was first."""

    def world(self, policy: Policy | None = None) -> World:
        """The use cases' world, made of this memory."""
        return World(
            tables=FakeTables(self),
            codes=FakeCodes(self),
            players=FakePlayers(self),
            connections=FakeConnections(self),
            limits=FakeLimits(self),
            versions=FakeVersions(self),
            timers=FakeTimers(self),
            posts=FakePosts(self),
            tokens=FakeTokens(),
            policy=policy or Policy(),
            now=lambda: self.now,
            random=self.draw,
            may_heal=heal_limit(),
            pause=lambda _attempt: None,
        )

    def draw(self, size: int) -> bytes:
        """Bytes that differ each time, and are the same in each run."""
        self.drawn += 1
        return self.drawn.to_bytes(size, "big")

    def connect(self, name: str, connection: str) -> None:
        """A player's connection, alive."""
        self.alive[ConnectionKey(PlayerId(name), ConnectionId(connection))] = None

    def caller(self, name: str, connection: str, re: str | None = None) -> Caller:
        """A player who says something now."""
        return Caller(
            PlayerId(name), ConnectionId(connection), "1.0.0", "web", "en", "::1", self.now, re
        )

    def heard_by(self, connection: str) -> list[dict[str, object]]:
        """What a connection was told, in order."""
        return [message for to, message in self.posted if to == connection]


@dataclass
class FakeTables:
    """Tables, with the transactions around them."""

    memory: Memory

    def get(self, table_id: TableId) -> Table | None:
        return self.memory.tables.get(table_id)

    def meta(self, table_id: TableId) -> TableMeta | None:
        return self.memory.metas.get(table_id)

    def create(self, new: NewTable) -> None:
        """The first that holds is said: AlreadySeated, ConnectionLost, CodeClash, Conflict."""
        memory, table_id, player_id = self.memory, new.table.table_id, new.maker.player_id
        player = memory.players.get(player_id)
        if player and player.seat:
            raise AlreadySeated(player_id)
        if new.maker not in memory.alive:
            raise ConnectionLost
        known = memory.codes.get(new.meta.code)
        if known and known.until > new.now:
            raise CodeClash
        if table_id in memory.tables:
            raise Conflict
        memory.tables[table_id] = new.table
        memory.metas[table_id] = new.meta
        until = new.now + CODE_FREE_MS
        memory.codes[new.meta.code] = CodeRecord(
            new.meta.code, table_id, is_taken=False, until=until
        )
        self._seat((player_id,), table_id)
        memory.alive[new.maker] = table_id

    def write(self, write: TableWrite) -> None:
        memory, table_id = self.memory, write.after.table_id
        if memory.conflicts:
            memory.conflicts -= 1
            raise Conflict
        stored = memory.tables.get(table_id)
        if stored is None or stored.rev != write.before.rev:
            raise Conflict
        self._check(write)
        memory.tables[table_id] = write.after
        self._seat(write.claims, table_id)
        for player_id in write.releases:
            until = write.now + LAST_TABLE_MS
            memory.players[player_id] = PlayerRecord(player_id, None, table_id, until)
        if write.attaches:
            memory.alive[write.attaches] = table_id
        if write.finished:
            self._keep(write.finished)
        if write.takes_code:
            known = memory.codes[write.takes_code]
            until = write.now + CODE_TAKEN_MS
            memory.codes[write.takes_code] = replace(known, is_taken=True, until=until)

    def due(self, now: int) -> list[TableId]:
        return [
            table.table_id
            for table in self.memory.tables.values()
            if table.timer_at is not None and table.timer_at + SWEEP_AFTER_MS <= now
        ]

    def _check(self, write: TableWrite) -> None:
        """In the store's order: seats claimed, seats released, the connection, record, code."""
        memory, table_id = self.memory, write.after.table_id
        for player_id in write.claims:
            player = memory.players.get(player_id)
            if player and player.seat and player.seat != table_id:
                raise AlreadySeated(player_id)
        for player_id in write.releases:
            player = memory.players.get(player_id)
            if player is None or player.seat != table_id:
                raise Conflict
        if write.attaches and write.attaches not in memory.alive:
            raise ConnectionLost
        if write.finished and self._is_kept(write.finished):
            raise Conflict
        if write.takes_code:
            known = memory.codes.get(write.takes_code)
            if known is None or known.is_taken or known.table_id != table_id:
                raise Conflict

    def _is_kept(self, finished: GameRecord) -> bool:
        game = (finished.table.table_id, finished.table.game)
        return any((kept.table.table_id, kept.table.game) == game for kept in self.memory.records)

    def _keep(self, finished: GameRecord) -> None:
        memory = self.memory
        memory.records.append(finished)
        for player_id in (finished.white, finished.black):
            memory.totals[player_id] += 1
            memory.histories[player_id] += 1

    def _seat(self, players: tuple[PlayerId, ...], table_id: TableId) -> None:
        for player_id in players:
            self.memory.players[player_id] = PlayerRecord(player_id, table_id)


@dataclass
class FakeCodes:
    """Codes."""

    memory: Memory

    def get(self, code: str) -> CodeRecord | None:
        record = self.memory.codes.get(code)
        return record if record and record.until > self.memory.now else None


@dataclass
class FakePlayers:
    """Players."""

    memory: Memory

    def get(self, player_id: PlayerId) -> PlayerRecord | None:
        return self.memory.players.get(player_id)


@dataclass
class FakeConnections:
    """Connections; a tombstone is never undone, and says again what it said."""

    memory: Memory

    def open(self, arrival: Arrival) -> None:
        if arrival.key not in self.memory.buried:
            self.memory.alive.setdefault(arrival.key, None)

    def close(self, key: ConnectionKey, now: int) -> TableId | None:
        return self.memory.buried.setdefault(key, self.memory.alive.pop(key, None))


@dataclass
class FakeLimits:
    """Counters by fixed window."""

    memory: Memory

    def count(self, subject: str, window_ms: int, now: int) -> int:
        return self.memory.counters[f"{subject}#{now // window_ms}"]

    def add(self, subject: str, window_ms: int, now: int) -> int:
        self.memory.counters[f"{subject}#{now // window_ms}"] += 1
        return self.count(subject, window_ms, now)


@dataclass
class FakeVersions:
    """A gate that knows minimums by platform and compares text: enough for one digit."""

    memory: Memory

    def newer_needed(self, version: str, platform: str) -> Minimum | None:
        minimum = self.memory.minimums.get(platform)
        return minimum if minimum and version < minimum.version else None


@dataclass
class FakeTimers:
    """Timer messages, kept."""

    memory: Memory

    def send(self, table_id: TableId, timer_at: int, now: int) -> None:
        self.memory.sent.append((table_id, timer_at))


@dataclass
class FakePosts:
    """Posts, decoded and kept; the dead are gone."""

    memory: Memory

    def post(self, letters: dict[ConnectionId, bytes]) -> set[ConnectionId]:
        for connection_id, payload in letters.items():
            if connection_id not in self.memory.dead:
                self.memory.posted.append((connection_id, msgspec.json.decode(payload)))
        return set(letters) & self.memory.dead

    def open(self) -> None:
        """Nothing to wait for."""

    def close(self, connection_id: ConnectionId) -> None:
        self.memory.closed.append(connection_id)


class FakeTokens:
    """Tokens that anybody could forge."""

    def sign(self, player_id: PlayerId) -> str:
        return f"token-of-{player_id}"
