"""joinTable: sit down at the table whose code one was given."""

from collections.abc import Callable
from dataclasses import replace

from shared.game.refusal import GameOver, TableFull
from shared.game.seating import Sitter, sit_down
from shared.game.table import Table
from shared.protocol.codes import normalise_code
from shared.protocol.errors import ConnectionClosed, SeatHeld, TableNotFound, TooManyGuesses
from shared.protocol.inbound import JoinTable
from shared.service.admit import admit
from shared.service.attach import attach_caller
from shared.service.commit import Along, commit
from shared.service.digest import digest
from shared.service.ports import AlreadySeated, CodeRecord, ConnectionLost
from shared.service.publish import publish, show, show_again
from shared.service.retry import retrying
from shared.service.world import Caller, World

GUESSES = 10
GUESS_WINDOW_MS = 60_000


def join(world: World, caller: Caller, said: JoinTable) -> None:
    """The caller seated, or shown his own table again.

    Raises AppOutdated, TooManyGuesses, TableNotFound, TableFull, TableClosed, SeatHeld,
    ConnectionClosed.
    """
    admit(world, caller)
    record = _look_up(world, caller, said.code)
    retrying(world, lambda: _join(world, caller, said, record))()


def _look_up(world: World, caller: Caller, text: str) -> CodeRecord:
    """The code's record; wrong guesses are counted by source address."""
    now = max(world.now(), caller.received_at)
    subject = f"guess#{caller.source}"
    if world.limits.count(subject, GUESS_WINDOW_MS, now) >= GUESSES:
        raise TooManyGuesses(retryAt=(now // GUESS_WINDOW_MS + 1) * GUESS_WINDOW_MS)
    code = normalise_code(text)
    record = world.codes.get(code) if code else None
    if record is None:
        world.limits.add(subject, GUESS_WINDOW_MS, now)
        raise TableNotFound
    return record


def _join(world: World, caller: Caller, said: JoinTable, record: CodeRecord) -> Callable[[], None]:
    table = world.tables.get(record.table_id)
    if table is None:
        raise TableNotFound
    if table.side_of(caller.player_id):
        return _come_back(world, caller, said, table)
    return _sit(world, caller, said, table)


def _come_back(world: World, caller: Caller, said: JoinTable, table: Table) -> Callable[[], None]:
    """His own table: attached to his seat, and shown; to both, where this join is the news."""
    now = max(world.now(), caller.received_at)
    joined_v = table.done_v(caller.player_id, digest(said.id))
    change = attach_caller(world, table, caller, now)

    def tell() -> None:
        if change.event or change.evicted:
            publish(world, change, now)
        if joined_v is None:
            show(world, change.table, now, caller)
        else:
            show_again(world, change.table, joined_v, now, caller)

    return tell


def _sit(world: World, caller: Caller, said: JoinTable, table: Table) -> Callable[[], None]:
    now = max(world.now(), caller.received_at)
    sitter = Sitter(caller.player_id, caller.connection_id, digest(said.id))
    try:
        change = sit_down(table, sitter, now)
    except GameOver:
        raise TableFull from None
    code = normalise_code(said.code)
    along = Along(claims=(caller.player_id,), attaches=caller.key, takes_code=code)
    try:
        written = replace(change, table=commit(world, table, change.table, now, along))
    except AlreadySeated:
        raise _held(world, caller) from None
    except ConnectionLost:
        raise ConnectionClosed from None
    return lambda: publish(world, written, now, caller)


def _held(world: World, caller: Caller) -> SeatHeld:
    player = world.players.get(caller.player_id)
    return SeatHeld(table=player.seat) if player and player.seat else SeatHeld()
