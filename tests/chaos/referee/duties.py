"""What one process owes, looked at when it has ended without a fault of its own."""

from dataclasses import dataclass, field
from typing import Final

from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.game.table import MAX_CONNECTIONS, Status, Table
from shared.service.digest import digest
from shared.service.ports import PlayerRecord
from tests.chaos.gateway import Said
from tests.chaos.process import Process
from tests.chaos.referee.ledger import Ledger, Written
from tests.chaos.referee.violation import hold
from tests.chaos.referee.words import GAME_ACTIONS
from tests.support.fakes import Memory

HEALED_EVERY_MS: Final = 1_000
MOST_CONFLICTS: Final = 4


@dataclass(slots=True)
class Duty:
    """What a process has done so far, and what it still owes."""

    told: set[ConnectionId] = field(default_factory=set)
    gone: set[ConnectionId] = field(default_factory=set)
    """Connections that a post found gone."""
    evicted: set[ConnectionId] = field(default_factory=set)
    """Whoever lost his place to a fifth connection, and has not been told yet."""
    armed: set[int] = field(default_factory=set)
    """Instants that it has armed a timer for."""
    news: dict[ConnectionId, int] = field(default_factory=dict)
    """Whom it has to tell of which `v`."""
    has_answered: bool = False
    players: dict[PlayerId, PlayerRecord] = field(default_factory=dict)
    """Where everybody sat when it started."""
    head: Table | None = None
    """The table of the message as it stood when the process started."""


def note_write(duty: Duty, w: Written) -> None:
    """What follows from a write."""
    if w.after.timer_at is not None and w.after.timer_at != w.before.timer_at:
        duty.armed.add(w.after.timer_at)
    if w.after.v != w.before.v:
        for seat in (w.after.white, w.after.black):
            duty.news |= dict.fromkeys(seat.connections, w.after.v)
    for _, was, now in w.seats():
        is_full = len(was.connections) == MAX_CONNECTIONS
        if is_full and set(now.connections) - set(was.connections):
            duty.evicted.add(was.connections[0])


def note_letter(duty: Duty, connection_id: ConnectionId, message: Said) -> None:
    """What a letter says."""
    duty.told.add(connection_id)
    duty.has_answered |= "re" in message
    if message["event"] == "replaced":
        duty.evicted.discard(connection_id)
    v = message.get("v") or (message.get("view") or {}).get("v", 0)
    if duty.news.get(connection_id, v + 1) <= v:
        del duty.news[connection_id]


def check_sent(duty: Duty, process: Process, now: int, table: Table, timer_at: int) -> None:
    """One chain a table: a timer is sent by who has armed it, or by its own early message."""
    is_own = (table.table_id, timer_at) in process.cause.timers
    is_early = is_own and now + process.skew_ms < timer_at
    is_armed = table.timer_at == timer_at or process.calls > 0
    hold(
        timer_at in duty.armed or (is_early and is_armed),
        "strays die: one chain of timers a table",
        timer_at=timer_at,
        messages=process.cause.timers,
    )


def check(duty: Duty, process: Process, books: dict[str, Ledger], memory: Memory, now: int) -> None:
    """Everything owed has been done."""
    hold(not duty.evicted, "the evicted are told", connections=duty.evicted)
    hold(not duty.news, "who writes tells both seats", owed=duty.news)
    if process.cause.action:
        hold(duty.has_answered, "whoever asks is answered", cause=process.cause.key)
    if process.conflicts < MOST_CONFLICTS:
        _check_forgotten(duty, memory)
    if process.cause.action in GAME_ACTIONS and process.cause.re is not None:
        _check_healed(duty, process, books, now)


def _check_forgotten(duty: Duty, memory: Memory) -> None:
    for table in memory.tables.values():
        if table.status is not Status.OVER:
            for seat in (table.white, table.black):
                found = duty.gone & set(seat.connections)
                hold(not found, "who is gone is forgotten", connections=found)


def _check_healed(duty: Duty, process: Process, books: dict[str, Ledger], now: int) -> None:
    """An action that was done before and is the head is shown to everybody, once a second."""
    head, re = duty.head, process.cause.re
    if head is None or re is None:
        return
    ledger = books[head.table_id]
    player = PlayerId(process.cause.player)
    is_copy = head.done_v(player, digest(re)) == head.v
    if not is_copy or ledger.table != head:
        return
    if now - ledger.healed_at < 2 * HEALED_EVERY_MS + process_ms(process, now):
        return
    owed = {*head.white.connections, *head.black.connections}
    hold(owed <= duty.told, "a copy of the head heals everybody", owed=owed, told=duty.told)


def process_ms(process: Process, now: int) -> int:
    """How long a process has taken."""
    return now - process.started_at


def head_of(process: Process, memory: Memory) -> Table | None:
    """The table that a message is about, as it stands."""
    table_id = process.cause.table
    return memory.tables.get(TableId(table_id)) if table_id else None
