"""Connections that turn out to be gone while people are told: forgotten, and nobody's trouble."""

from dataclasses import dataclass, replace
from itertools import permutations

import pytest

from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.protocol.inbound import CreateTable, Ping, SayHello, Sync
from shared.service.create import create
from shared.service.hello import hello
from shared.service.ports import Conflict, ConnectionKey
from shared.service.sync import ping, sync
from tests.support.fakes import FakeConnections, FakePosts, Memory
from tests.support.seats import A1, ANNA, B1, BEN, Seats


def four_sockets_each() -> Seats:
    """Anna and Ben with four connections each, all attached."""
    seats = Seats()
    for who, letter in ((ANNA, "A"), (BEN, "B")):
        for number in (2, 3, 4):
            connection = f"{letter}{number}="
            seats.memory.connect(who, connection)
            seats.ask(sync, who, connection, Sync(id=seats.new_id(), table=seats.table_id))
    return seats


@pytest.mark.parametrize("dead", list(permutations(["B1=", "B2=", "B3=", "B4="], 2)))
def test_a_move_reaches_all_who_live_and_only_the_dead_are_forgotten(
    dead: tuple[str, ...],
) -> None:
    """C055: the rows of the dead are closed and nobody else's; the move stands."""
    seats = four_sockets_each()
    alive = set(seats.memory.alive)
    seats.memory.dead |= set(map(ConnectionId, dead))
    seats.act(ANNA, "move", uci="e2e4")
    assert seats.table.ply == 1
    for connection in {"A1=", "A2=", "A3=", "A4=", "B1=", "B2=", "B3=", "B4="} - set(dead):
        assert seats.last(connection)["event"] == "moved"
    assert alive - set(seats.memory.alive) == {
        ConnectionKey(PlayerId(BEN), ConnectionId(one)) for one in dead
    }
    assert set(seats.table.black.connections) == {"B1=", "B2=", "B3=", "B4="} - set(dead)
    assert seats.table.black.away_since is None


def test_who_is_found_gone_at_an_old_table_leaves_the_one_he_sits_at() -> None:
    """The rematch offer finds nobody; his goodbye may never come."""
    seats = Seats()
    seats.act(ANNA, "resign")
    seats.ask(create, ANNA, A1, CreateTable(id="createcreatecr-2", colour="white"))
    elsewhere = TableId(str(seats.last(A1)["table"]))
    seats.memory.dead.add(ConnectionId(A1))
    seats.act(BEN, "offerRematch")
    assert seats.table.white.connections == ()
    assert seats.memory.tables[elsewhere].white.away_since == seats.memory.now


def test_an_asker_who_is_gone_by_now_has_moved_all_the_same() -> None:
    seats = Seats()
    seats.memory.dead.add(ConnectionId(A1))
    seats.act(ANNA, "move", uci="e2e4")
    assert seats.last(B1)["event"] == "moved"
    assert seats.table.white.connections == ()
    assert seats.table.white.away_since == seats.memory.now


def test_an_asker_who_is_gone_leaves_his_seat_though_he_is_told_of_no_table() -> None:
    """He is refused another table, and nobody is there to hear it."""
    seats = Seats()
    seats.memory.dead.add(ConnectionId(A1))
    seats.ask(create, ANNA, A1, CreateTable(id="createcreatecr-2"))
    assert seats.table.white.away_since == seats.memory.now
    assert ConnectionKey(PlayerId(ANNA), ConnectionId(A1)) in seats.memory.buried


def test_when_all_are_gone_both_are_away_and_nothing_else_happens() -> None:
    seats = Seats()
    seats.memory.dead |= {ConnectionId(A1), ConnectionId(B1)}
    posted = len(seats.memory.posted)
    seats.act(ANNA, "move", uci="e2e4")
    assert seats.table.ply == 1
    assert seats.table.white.is_away
    assert seats.table.black.is_away
    assert len(seats.memory.posted) == posted


def test_a_refusal_to_somebody_who_is_gone_takes_him_off_his_seat() -> None:
    seats = Seats()
    seats.memory.dead.add(ConnectionId(A1))
    seats.act(ANNA, "move", uci="e2e5")
    assert seats.table.ply == 0
    assert seats.table.white.connections == ()


@pytest.mark.parametrize("who", [ANNA, "stranger-strange"])
def test_greeting_somebody_who_is_gone_is_no_trouble(who: str) -> None:
    seats = Seats()
    seats.memory.dead |= {ConnectionId("X1="), ConnectionId(A1)}
    seats.ask(hello, who, "X1=", SayHello(id=seats.new_id()))
    seats.ask(ping, who, "X1=", Ping(id=seats.new_id()))
    assert seats.memory.heard_by("X1=") == []


@dataclass
class Crowded(FakePosts):
    """Posts at a table where somebody else writes first from the first post on."""

    def post(self, letters: dict[ConnectionId, bytes]) -> set[ConnectionId]:
        self.memory.conflicts = 5
        return super().post(letters)


def crowded(memory: Memory) -> Seats:
    seats = Seats(memory)
    seats.world = replace(seats.world, posts=Crowded(memory))
    memory.dead.add(ConnectionId(B1))
    return seats


def test_a_table_too_busy_to_forget_the_dead_does_not_take_a_move_back() -> None:
    """The mover has his answer; a refusal after it would be a lie."""
    seats = crowded(Memory())
    seats.act(ANNA, "move", uci="e2e4")
    assert seats.last(A1)["event"] == "moved"
    assert seats.table.ply == 1
    seats.memory.conflicts = 0
    seats.world = replace(seats.world, posts=FakePosts(seats.memory))
    seats.act(BEN, "move", connection="B2=", uci="e7e5")
    assert seats.table.black.connections == ()


def test_a_row_too_busy_to_close_does_not_take_a_move_back() -> None:
    class Busy(FakeConnections):
        def close(self, key: ConnectionKey, now: int) -> None:
            raise Conflict

    seats = Seats()
    seats.memory.dead.add(ConnectionId(B1))
    seats.world = replace(seats.world, connections=Busy(seats.memory))
    seats.act(ANNA, "move", uci="e2e4")
    assert seats.last(A1)["event"] == "moved"
    assert seats.table.ply == 1
