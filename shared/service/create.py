"""createTable: a private table with a code, its maker seated."""

from dataclasses import replace

from shared.game.events import Change, Event, Happened
from shared.game.rulesets import RULESETS
from shared.game.seating import Sitter, Wishes, make_table
from shared.game.side import Side
from shared.game.table import Table
from shared.protocol.codes import make_code
from shared.protocol.errors import ConnectionClosed, NoFreeCode, SeatHeld, UnknownRuleset
from shared.protocol.inbound import CreateTable
from shared.protocol.outbound import Happening
from shared.protocol.time_controls import check_time_control
from shared.service.admit import admit
from shared.service.attach import attach_caller
from shared.service.commit import arm
from shared.service.digest import digest, table_id_for
from shared.service.ports import (
    AlreadySeated,
    CodeClash,
    Conflict,
    ConnectionLost,
    NewTable,
    TableMeta,
)
from shared.service.publish import answer, own_view, publish
from shared.service.retry import retrying
from shared.service.world import Caller, World

CODE_TRIES = 8
CODE_BYTES = 16
SECRET_BYTES = 12


def create(world: World, caller: Caller, said: CreateTable) -> None:
    """The table made, or found where this very message made it before.

    Raises AppOutdated, BadTimeControl, UnknownRuleset, SeatHeld, NoFreeCode, ConnectionClosed.
    """
    admit(world, caller)
    check_time_control(said.time_control)
    if said.ruleset not in RULESETS:
        raise UnknownRuleset
    _answer(world, caller, retrying(world, lambda: _create(world, caller, said)))


def _create(world: World, caller: Caller, said: CreateTable) -> Change:
    now = max(world.now(), caller.received_at)
    table = arm(world, _new_table(caller, said, now).table)
    try:
        _store(world, caller, table, now)
    except AlreadySeated:
        return _held(world, caller, table)
    except Conflict:
        return _made_before(world, caller, table)
    except ConnectionLost:
        raise ConnectionClosed from None
    if table.timer_at is not None:
        world.timers.send(table.table_id, table.timer_at, now)
    return Change(table)


def _new_table(caller: Caller, said: CreateTable, now: int) -> Change:
    side = None if said.colour == "random" else Side(said.colour)
    wishes = Wishes(said.ruleset, said.time_control, side)
    sitter = Sitter(caller.player_id, caller.connection_id, digest(said.id))
    table_id = table_id_for(caller.player_id, said.id)
    made = make_table(table_id, wishes, sitter, RULESETS[said.ruleset].start_fen(), now)
    return replace(made, table=replace(made.table, rev=1))


def _store(world: World, caller: Caller, table: Table, now: int) -> None:
    """The table stored under a free code. Raises NoFreeCode and what the port raises."""
    for _ in range(CODE_TRIES):
        code = make_code(world.random(CODE_BYTES))
        secret = world.random(SECRET_BYTES).hex()
        meta = TableMeta(table.table_id, code, secret, now)
        try:
            world.tables.create(NewTable(table, meta, caller.key, now))
        except CodeClash:
            continue
        return
    raise NoFreeCode


def _held(world: World, caller: Caller, table: Table) -> Change:
    """The table, where it is the seat already held. Raises SeatHeld, Conflict."""
    player = world.players.get(caller.player_id)
    held = player.seat if player else None
    if held is None:
        raise Conflict
    if held != table.table_id:
        raise SeatHeld(table=held)
    return _made_before(world, caller, table)


def _made_before(world: World, caller: Caller, table: Table) -> Change:
    """The table, where this very message has made it before; who asks anew is attached.

    Raises Conflict.
    """
    stored = world.tables.get(table.table_id)
    if stored is None or stored.side_of(caller.player_id) is None:
        raise Conflict
    return attach_caller(world, stored, caller, max(world.now(), caller.received_at))


def _answer(world: World, caller: Caller, change: Change) -> None:
    now, table = max(world.now(), caller.received_at), change.table
    if change.event or change.evicted:
        publish(world, change, now)
    event = Event(Happened.CREATED, table.side_of(caller.player_id))
    message = Happening(
        event=event.name.value,
        re=caller.re,
        table=table.table_id,
        v=table.v,
        by=event.by.value if event.by else None,
        view=own_view(world, table, event.by, now),
    )
    answer(world, caller, message, table)
