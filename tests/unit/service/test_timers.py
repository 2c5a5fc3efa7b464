"""Timers: one chain per table; a message is a wake-up, lost, doubled, early, late or not."""

from dataclasses import dataclass, replace

import pytest

from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.game.table import Status, Table
from shared.protocol.inbound import CreateTable, Sync
from shared.service.connect import disconnect
from shared.service.create import create
from shared.service.ports import ConnectionKey
from shared.service.sync import sync
from shared.service.wake import sweep, wake
from tests.support.fakes import FakeTables, FakeTimers, Memory
from tests.support.seats import A1, ANNA, B1, Seats

CARL, C1 = "carl-carl-carl-c", "C1="


@dataclass
class Broken(FakeTables):
    """Tables of which one cannot be read."""

    broken: TableId

    def get(self, table_id: TableId) -> Table | None:
        if table_id == self.broken:
            raise ZeroDivisionError
        return super().get(table_id)


def test_one_broken_table_does_not_keep_the_sweep_from_the_others() -> None:
    seats = Seats()
    seats.memory.connect(CARL, C1)
    seats.ask(create, CARL, C1, CreateTable(id="createcreatecr-1"))
    tables = list(seats.memory.tables)
    for broken, other in (tables, tables[::-1]):
        seats.memory.now += 600_000
        before = seats.memory.tables[other].rev
        seats.world = replace(seats.world, tables=Broken(seats.memory, broken))
        with pytest.raises(ExceptionGroup) as failed:
            sweep(seats.world)
        assert [str(one.__notes__) for one in failed.value.exceptions] == [f"['{broken}']"]
        assert seats.memory.tables[other].rev > before


def test_a_table_that_is_busy_does_not_keep_the_sweep_from_the_others() -> None:
    seats = Seats()
    seats.memory.connect(CARL, C1)
    seats.ask(create, CARL, C1, CreateTable(id="createcreatecr-1"))
    _, second = seats.memory.tables
    seats.memory.now += 600_000
    seats.memory.conflicts = 5
    before = seats.memory.tables[second].rev
    with pytest.raises(ExceptionGroup):
        sweep(seats.world)
    assert seats.memory.tables[second].rev > before


def test_a_timer_delivered_twice_settles_once() -> None:
    """C051, C105: the second delivery finds another instant armed, or none."""
    seats = Seats()
    seats.play("e2e4", "e7e5")
    while seats.table.status is Status.LIVE:
        armed = seats.table.timer_at
        assert armed is not None
        seats.memory.now = armed
        wake(seats.world, seats.table_id, armed)
        after, told = seats.table, len(seats.memory.posted)
        sent = list(seats.memory.sent)
        wake(seats.world, seats.table_id, armed)
        assert seats.table == after
        assert len(seats.memory.posted) == told
        assert seats.memory.sent == sent
    assert len(seats.memory.records) == 1


def test_the_chain_goes_on_beyond_what_a_queue_can_delay() -> None:
    """An idle game without clocks ends after half an hour; each message may come early."""
    seats = Seats(timeControl={"totalMs": None, "perMoveMs": None})
    seats.play("e2e4")
    began = seats.memory.now
    for _ in range(500):
        if seats.table.status is Status.OVER:
            break
        armed = seats.table.timer_at
        assert armed is not None
        assert (seats.table_id, armed) in seats.memory.sent
        seats.memory.now = min(armed, seats.memory.now + 900_000)
        wake(seats.world, seats.table_id, armed)
        for who, connection in ((ANNA, A1), ("ben-ben-ben-ben-", B1)):
            if seats.last(connection)["event"] == "probe":
                seats.ask(sync, who, connection, Sync(id=seats.new_id(), table=seats.table_id))
    assert seats.table.outcome is not None
    assert seats.table.outcome.at == began + 1_800_000
    assert seats.memory.now == began + 1_802_000
    assert seats.last(B1)["view"]["outcome"] == {
        "termination": "aborted",
        "result": "*",
        "at": began + 1_800_000,
    }


def test_a_move_arms_no_timer_where_one_is_armed_early_enough() -> None:
    seats = Seats()
    sent = len(seats.memory.sent)
    seats.play("e2e4", "e7e5", "g1f3", "b8c6")
    assert len(seats.memory.sent) == sent


def test_what_falls_due_sooner_arms_anew_and_the_old_message_is_dropped() -> None:
    seats = Seats()
    seats.play("e2e4", "e7e5")
    old = seats.table.timer_at
    assert old is not None
    disconnect(seats.world, ConnectionKey(PlayerId(ANNA), ConnectionId(A1)), seats.memory.now)
    assert seats.table.timer_at == seats.memory.now + 3_000
    assert seats.memory.sent[-1] == (seats.table_id, seats.memory.now + 3_000)
    seats.memory.now = old
    before = seats.table
    wake(seats.world, seats.table_id, old)
    assert seats.table == before


def test_a_timer_lost_on_the_way_is_found_by_the_sweep_and_the_chain_goes_on() -> None:
    class Lossy(FakeTimers):
        def send(self, table_id: TableId, timer_at: int, now: int) -> None:
            """Lost."""

    memory = Memory()
    seats = Seats(memory)
    seats.world = replace(seats.world, timers=Lossy(memory))
    seats.play("e2e4", "e7e5")
    flag = seats.table.clock.turn_at + 60_000
    while seats.table.status is Status.LIVE:
        memory.now += 60_000
        sweep(seats.world)
    assert seats.table.outcome is not None
    assert seats.table.outcome.at == flag
    assert memory.now <= flag + 2_000 + 20_000 + 60_000
