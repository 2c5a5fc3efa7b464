"""The box that a function runs in: its ports, its clock, and what it remembers between events.

Every call of a port is handed to the process that runs in the box at the time. A new box is a cold
start: it has forgotten what was read and shown before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pynamodb.exceptions import GetError

from shared.delivery.timers import delay_s
from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.game.table import Policy, Table
from shared.gate.versions import VersionGate
from shared.service.heal import heal_limit
from shared.service.ports import (
    Arrival,
    CodeRecord,
    Codes,
    ConnectionKey,
    Connections,
    Limits,
    LiveSettings,
    NewTable,
    PlayerRecord,
    Players,
    TableMeta,
    Tables,
    TableWrite,
)
from shared.service.world import World
from tests.chaos.process import Call, Posting, Process

FRESH_MS = 60_000


@dataclass(frozen=True, slots=True)
class Stored:
    """The repositories behind the ports."""

    tables: Tables
    codes: Codes
    players: Players
    connections: Connections
    limits: Limits


@dataclass(frozen=True, slots=True)
class Outside:
    """What is shared by all boxes: what is stored, and the ways out."""

    stored: Stored
    policy: Policy
    clock: Callable[[], int]
    random: Callable[[int], bytes]
    send: Callable[[TableId, int, int], None]
    """A timer message: table, instant, delay in ms."""
    close: Callable[[ConnectionId], None]


class Box:
    """One machine of one function."""

    def __init__(self, outside: Outside, skew_ms: int) -> None:
        self.outside = outside
        self.skew_ms = skew_ms
        self.process: Process | None = None
        stored = outside.stored
        self.world = World(
            tables=_Tables(self, stored.tables),
            codes=_Codes(self, stored.codes),
            players=_Players(self, stored.players),
            connections=_Connections(self, stored.connections),
            limits=_Limits(self, stored.limits),
            versions=VersionGate(_Settings(self)),
            timers=_Timers(self),
            posts=_Posts(self),
            tokens=_Tokens(self),
            policy=outside.policy,
            now=self.now,
            random=outside.random,
            may_heal=heal_limit(),
            pause=self._pause,
        )

    def now(self) -> int:
        """The system clock of this machine."""
        return self.outside.clock() + self.skew_ms

    def ask(self, kind: str, name: str, effect: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the port answers
        """The answer of a port, through the process that runs here."""
        return self._running.ask(Call(kind, name, effect))

    def post(self, letters: dict[ConnectionId, bytes]) -> set[ConnectionId]:
        """Those that are gone."""
        gone: set[ConnectionId] = self._running.ask(Posting(letters))
        return gone

    def _pause(self, attempt: int) -> None:
        self._running.conflicts += 1
        self.ask("wait", f"pause{attempt}", lambda: None)

    @property
    def _running(self) -> Process:
        if self.process is None:
            raise ValueError(self)
        return self.process


@dataclass
class _Tables:
    box: Box
    inner: Tables

    def get(self, table_id: TableId) -> Table | None:
        found: Table | None = self.box.ask("read", "tables.get", lambda: self.inner.get(table_id))
        return found

    def meta(self, table_id: TableId) -> TableMeta | None:
        found: TableMeta | None = self.box.ask(
            "read", "tables.meta", lambda: self.inner.meta(table_id)
        )
        return found

    def create(self, new: NewTable) -> None:
        self.box.ask("transaction", "tables.create", lambda: self.inner.create(new))

    def write(self, write: TableWrite) -> None:
        is_alone = not (write.claims or write.releases or write.attaches or write.takes_code)
        kind = "write" if is_alone else "transaction"
        self.box.ask(kind, "tables.write", lambda: self.inner.write(write))

    def due(self, now: int) -> list[TableId]:
        found: list[TableId] = self.box.ask("query", "tables.due", lambda: self.inner.due(now))
        return found


@dataclass
class _Codes:
    box: Box
    inner: Codes

    def get(self, code: str) -> CodeRecord | None:
        found: CodeRecord | None = self.box.ask("read", "codes.get", lambda: self.inner.get(code))
        return found


@dataclass
class _Players:
    box: Box
    inner: Players

    def get(self, player_id: PlayerId) -> PlayerRecord | None:
        found: PlayerRecord | None = self.box.ask(
            "read", "players.get", lambda: self.inner.get(player_id)
        )
        return found


@dataclass
class _Connections:
    box: Box
    inner: Connections

    def open(self, arrival: Arrival) -> None:
        self.box.ask("transaction", "connections.open", lambda: self.inner.open(arrival))

    def close(self, key: ConnectionKey, now: int) -> TableId | None:
        """Has no condition on what was there, so an unanswered one is simply written again."""
        found: TableId | None = self.box.ask(
            "transaction", "connections.close", lambda: self.inner.close(key, now)
        )
        return found


@dataclass
class _Limits:
    box: Box
    inner: Limits

    def count(self, subject: str, window_ms: int, now: int) -> int:
        n: int = self.box.ask(
            "read", "limits.count", lambda: self.inner.count(subject, window_ms, now)
        )
        return n

    def add(self, subject: str, window_ms: int, now: int) -> int:
        n: int = self.box.ask("read", "limits.add", lambda: self.inner.add(subject, window_ms, now))
        return n


@dataclass
class _Settings:
    """Live settings, fresh for a minute; where they cannot be read the last good ones hold."""

    box: Box
    fresh_until: int = 0

    def current(self) -> LiveSettings:
        if self.box.now() >= self.fresh_until:
            self.fresh_until = self.box.now() + FRESH_MS
            try:
                self.box.ask("read", "settings.versions", lambda: None)
            except GetError:
                return LiveSettings()
        return LiveSettings()


@dataclass
class _Tokens:
    """The signing keys have to be read once; after that the last good ones hold."""

    box: Box
    is_known: bool = False

    def sign(self, player_id: PlayerId) -> str:
        if not self.is_known:
            self.box.ask("read", "settings.keys", lambda: None)
            self.is_known = True
        return f"token-of-{player_id}"


@dataclass
class _Timers:
    box: Box

    def send(self, table_id: TableId, timer_at: int, now: int) -> None:
        delay_ms = 1_000 * delay_s(timer_at, now)
        send = self.box.outside.send
        self.box.ask("send", "timers.send", lambda: send(table_id, timer_at, delay_ms))


@dataclass
class _Posts:
    box: Box

    def post(self, letters: dict[ConnectionId, bytes]) -> set[ConnectionId]:
        return self.box.post(letters)

    def close(self, connection_id: ConnectionId) -> None:
        close = self.box.outside.close
        self.box.ask("close", "posts.close", lambda: close(connection_id))

    def open(self) -> None:
        """Nothing to wait for."""
