"""A write took effect and its answer, or what was to be told of it, was lost: asked again, healed.

Each transaction in turn: create, join, attach, finish, rematch.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.game.table import Status
from shared.protocol.inbound import CreateTable, SayHello, Sync
from shared.service.connect import disconnect
from shared.service.create import create
from shared.service.hello import hello
from shared.service.ports import Conflict, ConnectionKey, NewTable, TableWrite
from shared.service.sync import sync
from shared.service.wake import settle_table, sweep
from tests.support.fakes import FakePosts, FakeTables, FakeTimers, Memory
from tests.support.seats import A1, ANNA, B1, BEN, Seats

CARL, C1 = "carl-carl-carl-c", "C1="


@dataclass
class Unanswered(FakeTables):
    """The next write takes effect, and looks as if somebody else had been first."""

    armed: list[bool] = field(default_factory=lambda: [True])

    def create(self, new: NewTable) -> None:
        super().create(new)
        if self.armed:
            self.armed.pop()
            raise Conflict

    def write(self, write: TableWrite) -> None:
        super().write(write)
        if self.armed:
            self.armed.pop()
            raise Conflict


class Dying(FakePosts):
    """The process dies before anybody is told."""

    def post(self, letters: dict[ConnectionId, bytes]) -> set[ConnectionId]:
        raise SystemExit


class DyingEarlier(FakeTimers):
    """The process dies between the write and the timer message."""

    def send(self, table_id: TableId, timer_at: int, now: int) -> None:
        raise SystemExit


def waiting(memory: Memory) -> Seats:
    """Anna waits at a table of her own; Ben has the code."""
    seats = Seats.__new__(Seats)
    seats.memory, seats.world, seats._ids = memory, memory.world(), 0
    memory.connect(ANNA, A1)
    memory.connect(BEN, B1)
    seats.ask(create, ANNA, A1, CreateTable(id="createcreatecr-1", colour="white"))
    seats.table_id = TableId(str(seats.last(A1)["table"]))
    seats.code = str(seats.last(A1)["view"]["code"])
    return seats


def test_a_created_table_is_found_though_the_answer_was_lost() -> None:
    memory = Memory()
    world = replace(memory.world(), tables=Unanswered(memory))
    memory.connect(CARL, C1)
    create(world, memory.caller(CARL, C1, "r"), CreateTable(id="createcreatecr-1"))
    [answer] = memory.heard_by(C1)
    assert answer["event"] == "created"
    assert len(memory.tables) == len(memory.codes) == 1


def test_both_hear_of_a_join_though_the_answer_was_lost() -> None:
    seats = waiting(Memory())
    seats.world = replace(seats.world, tables=Unanswered(seats.memory))
    seats.join(BEN, B1)
    assert seats.table.status is Status.LIVE
    for connection, side in ((A1, "white"), (B1, "black")):
        assert seats.last(connection)["view"]["status"] == "live"
        assert seats.last(connection)["view"]["you"] == side


def test_both_hear_of_a_join_that_is_sent_again_because_nobody_was_told() -> None:
    """The maker does not ask by himself: his clock would run unseen."""
    seats = waiting(Memory())
    living = seats.world
    seats.world = replace(living, posts=Dying(seats.memory))
    with pytest.raises(SystemExit):
        seats.join(BEN, B1, id="joinjoinjoinjo-1")
    assert seats.last(A1)["view"]["status"] == "waiting"
    seats.world = living
    seats.memory.now += 3_000
    seats.join(BEN, B1, id="joinjoinjoinjo-1")
    assert seats.last(A1)["view"]["status"] == "live"
    assert seats.last(B1)["re"] == "joinjoinjoinjo-1"


def test_an_old_join_sent_again_bothers_only_its_sender() -> None:
    seats = waiting(Memory())
    seats.join(BEN, B1, id="joinjoinjoinjo-1")
    seats.play("e2e4")
    told = len(seats.memory.heard_by(A1))
    seats.join(BEN, B1, id="joinjoinjoinjo-1")
    seats.join(BEN, B1)
    assert len(seats.memory.heard_by(A1)) == told
    assert seats.last(B1)["view"]["moves"] == ["e2e4"]


def test_a_lost_answer_is_made_good_for_both_however_recently_somebody_asked_twice() -> None:
    seats = Seats()
    move_id = seats.act(ANNA, "move", uci="e2e4")
    seats.act(ANNA, "move", uci="e2e4", id=move_id, ply=0)
    seats.world = replace(seats.world, tables=Unanswered(seats.memory))
    seats.act(BEN, "move", uci="e7e5")
    assert seats.last(A1)["v"] == seats.last(B1)["v"] == seats.table.v


def test_an_attach_whose_answer_was_lost_is_not_done_twice() -> None:
    seats = Seats()
    seats.memory.connect(ANNA, "A2=")
    seats.world = replace(seats.world, tables=Unanswered(seats.memory))
    seats.ask(hello, ANNA, "A2=", SayHello(id=seats.new_id()))
    assert seats.table.white.connections == (A1, "A2=")
    assert seats.last("A2=")["view"]["v"] == seats.table.v


@pytest.mark.parametrize(
    "last_word",
    [
        lambda seats: seats.act(BEN, "move", uci="d8h4"),
        lambda seats: seats.act(BEN, "resign"),
        lambda seats: seats.act(BEN, "leaveTable"),
    ],
)
def test_a_finish_whose_answer_was_lost_counts_once_and_both_hear_of_it(
    last_word: Callable[[Seats], str],
) -> None:
    seats = Seats()
    seats.play("f2f3", "e7e5", "g2g4")
    seats.world = replace(seats.world, tables=Unanswered(seats.memory))
    last_word(seats)
    assert len(seats.memory.records) == 1
    for connection in (A1, B1):
        assert seats.last(connection)["view"]["status"] == "over"


def test_a_rematch_whose_answer_was_lost_begins_once_and_both_hear_of_it() -> None:
    seats = Seats()
    seats.play("f2f3", "e7e5", "g2g4", "d8h4")
    seats.act(ANNA, "offerRematch")
    seats.world = replace(seats.world, tables=Unanswered(seats.memory))
    seats.act(BEN, "acceptRematch", v=seats.table.v)
    assert seats.table.game == 2
    for connection in (A1, B1):
        assert seats.last(connection)["view"]["game"] == 2


def test_a_rematch_accepted_twice_is_one_rematch() -> None:
    """The ids that are known as done survive it."""
    seats = Seats()
    seats.play("f2f3", "e7e5", "g2g4", "d8h4")
    seats.act(ANNA, "offerRematch")
    offer = seats.table.v
    accepted = seats.act(BEN, "acceptRematch", v=offer)
    before = seats.table
    seats.act(BEN, "acceptRematch", v=offer, id=accepted, game=1, ply=4)
    assert seats.table == before
    assert seats.last(B1)["view"]["game"] == 2


def test_a_move_whose_process_died_is_told_to_both_when_it_is_sent_again() -> None:
    seats = Seats()
    seats.play("e2e4")
    living = seats.world
    seats.world = replace(living, posts=Dying(seats.memory))
    with pytest.raises(SystemExit):
        seats.act(BEN, "move", uci="e7e5", id="movemovemovemo-1", ply=1)
    seats.world = living
    seats.memory.now += 3_000
    seats.act(BEN, "move", uci="e7e5", id="movemovemovemo-1", ply=1)
    assert seats.table.ply == 2
    assert seats.last(A1)["v"] == seats.last(B1)["v"] == seats.table.v
    assert seats.last(B1)["re"] == "movemovemovemo-1"


def test_a_goodbye_whose_process_died_before_the_timer_was_sent_is_swept_up() -> None:
    seats = Seats()
    living, left_at = seats.world, seats.memory.now
    dying = replace(living, timers=DyingEarlier(seats.memory))
    with pytest.raises(SystemExit):
        disconnect(dying, ConnectionKey(PlayerId(ANNA), ConnectionId(A1)), left_at)
    assert seats.table.timer_at == left_at + 3_000
    seats.memory.now = left_at + 23_000
    assert sweep(living) == 1
    assert seats.last(B1)["event"] == "away"
    assert seats.last(B1)["view"]["seats"]["white"]["removalAt"] == left_at + 60_000


def test_a_verdict_whose_process_died_is_seen_with_the_next_question() -> None:
    seats = Seats(timeControl={"perMoveMs": 30_000})
    seats.play("e2e4", "e7e5")
    seats.memory.now += 32_000
    head, living = seats.table.v, seats.world
    with pytest.raises(SystemExit):
        settle_table(replace(living, posts=Dying(seats.memory)), seats.table_id)
    seats.ask(sync, ANNA, A1, Sync(id=seats.new_id(), table=seats.table_id, v=head))
    assert seats.last(A1)["view"]["outcome"]["termination"] == "timeForfeit"
