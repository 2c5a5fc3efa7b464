"""Promises that nobody notices until they are broken: one write, one clock, one seat."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.game.clock import TimeControl
from shared.game.due import Matter, dues
from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.game.table import Policy, Status
from shared.protocol.inbound import CreateTable, SayHello, Sync
from shared.service.commit import arm
from shared.service.connect import disconnect
from shared.service.create import create
from shared.service.hello import hello
from shared.service.ports import ConnectionKey, Minimum
from shared.service.sync import sync
from shared.service.wake import settle_table, wake
from tests.support.seats import A1, ANNA, B1, BEN, Seats

CARL, C1 = "carl-carl-carl-c", "C1="


def asks(seats: Seats) -> None:
    seats.ask(sync, ANNA, A1, Sync(id=seats.new_id(), table=seats.table_id))


def greets(seats: Seats) -> None:
    seats.ask(hello, ANNA, A1, SayHello(id=seats.new_id()))


def in_play() -> Seats:
    seats = Seats()
    seats.play("e2e4", "e7e5")
    return seats


def with_carl() -> Seats:
    """Anna and Ben in play; Carl waits at a table of his own."""
    seats = in_play()
    seats.memory.connect(CARL, C1)
    seats.ask(create, CARL, C1, CreateTable(id="createcreatecr-1", colour="white"))
    return seats


@pytest.mark.parametrize("says", [asks, greets])
def test_asking_where_the_table_stands_writes_nothing(says: Callable[[Seats], None]) -> None:
    seats = in_play()
    before = seats.table
    says(seats)
    assert seats.table == before


@pytest.mark.parametrize("says", [asks, greets])
def test_a_probe_is_answered_by_the_next_question(says: Callable[[Seats], None]) -> None:
    seats = in_play()
    asked = [due for due in dues(seats.table, Policy()) if due.matter is Matter.PROBE]
    seats.memory.now = asked[-1].at
    settle_table(seats.world, seats.table_id)
    assert seats.last(A1)["event"] == "probe"
    seats.memory.now += 1_000
    says(seats)
    assert seats.table.white.probed_at is None
    assert seats.table.white.heard_at == seats.memory.now
    assert seats.table.v == seats.last(A1).get("view", seats.last(A1))["v"]


def test_a_system_clock_that_lags_does_not_turn_the_game_back() -> None:
    seats = in_play()
    turn_at = seats.table.clock.turn_at
    seats.memory.now -= 700
    seats.act(ANNA, "move", uci="g1f3")
    assert seats.table.clock.turn_at == turn_at
    assert seats.table.clock.white_ms == 900_000 - 1_000


def test_a_system_clock_behind_the_gateways_does_not_start_a_turn_before_its_move() -> None:
    seats = in_play()
    received_at = seats.memory.now + 800
    caller = replace(seats.memory.caller(ANNA, A1), received_at=received_at)
    seats.memory.caller = lambda *_: caller  # type: ignore[method-assign]
    seats.act(ANNA, "move", uci="g1f3")
    assert seats.table.clock.turn_at == received_at


def test_a_timer_up_to_a_second_late_is_left_alone() -> None:
    seats = in_play()
    due = arm(seats.world, replace(seats.table, timer_at=None)).timer_at
    assert due is not None
    for late, left in ((1_000, due + 1_000), (1_001, due)):
        armed = arm(seats.world, replace(seats.table, timer_at=due + late))
        assert armed.timer_at == left


def test_a_new_table_has_its_timer_on_the_way() -> None:
    seats = with_carl()
    table_id = TableId(str(seats.last(C1)["table"]))
    timer_at = seats.memory.tables[table_id].timer_at
    assert timer_at is not None
    assert (table_id, timer_at) in seats.memory.sent
    seats.memory.now = timer_at
    wake(seats.world, table_id, timer_at)
    assert seats.last(C1)["event"] == "probe"


def test_a_time_control_that_nobody_can_play_makes_no_table() -> None:
    seats = in_play()
    seats.memory.connect(CARL, C1)
    control = TimeControl(total_ms=1)
    seats.ask(create, CARL, C1, CreateTable(id="createcreatecr-1", time_control=control))
    assert seats.last(C1)["code"] == "badTimeControl"
    assert len(seats.memory.tables) == 1


def test_a_socket_that_has_died_makes_no_table_and_takes_no_seat() -> None:
    seats = with_carl()
    code = seats.last(C1)["view"]["code"]
    dora = "dora-dora-dora-d"
    seats.ask(create, dora, "D1=", CreateTable(id="createcreatecr-2"))
    assert seats.last("D1=")["code"] == "connectionLost"
    seats.join(dora, "D1=", code=code)
    assert seats.last("D1=")["code"] == "connectionLost"
    assert len(seats.memory.tables) == 2
    assert PlayerId(dora) not in seats.memory.players


def test_a_join_seats_the_player_and_takes_the_code_for_a_quarter_of_an_hour() -> None:
    seats = Seats()
    code = seats.memory.codes[seats.code]
    assert code.is_taken
    assert code.until == seats.memory.now + 15 * 60_000
    assert seats.memory.players[PlayerId(BEN)].seat == seats.table_id
    assert seats.memory.alive[ConnectionKey(PlayerId(BEN), ConnectionId(B1))] == seats.table_id


def test_who_sits_elsewhere_joins_nowhere_and_is_told_where_he_sits() -> None:
    seats = with_carl()
    seats.join(BEN, B1, code=seats.last(C1)["view"]["code"])
    assert seats.last(B1)["code"] == "seatHeld"
    assert seats.last(B1)["parameters"] == {"table": seats.table_id}


def test_who_sits_elsewhere_accepts_no_rematch() -> None:
    seats = Seats()
    seats.play("f2f3", "e7e5", "g2g4", "d8h4")
    seats.act(ANNA, "offerRematch")
    seats.ask(create, BEN, B1, CreateTable(id="createcreatecr-3"))
    seats.act(BEN, "acceptRematch", v=seats.table.v)
    assert seats.last(B1)["code"] == "seatHeld"
    assert seats.table.status is Status.OVER


def test_strangers_find_a_table_full_while_its_code_is_known_and_then_not_at_all() -> None:
    seats = in_play()
    seats.memory.connect(CARL, C1)
    seats.act(ANNA, "resign")
    seats.join(CARL, C1)
    assert seats.last(C1)["code"] == "tableFull"
    assert "view" not in seats.last(C1)
    seats.memory.now += 15 * 60_000 + 1
    seats.join(CARL, C1)
    assert seats.last(C1)["code"] == "tableNotFound"


def test_strangers_find_a_table_closed_that_was_given_up() -> None:
    seats = with_carl()
    code, table = seats.last(C1)["view"]["code"], str(seats.last(C1)["table"])
    seats.act(CARL, "leaveTable", connection=C1, table=table, game=1, ply=0)
    seats.act(ANNA, "resign")
    seats.join(BEN, B1, code=code)
    assert seats.last(B1)["code"] == "tableClosed"


def test_who_comes_back_by_code_is_told_back_to_the_other() -> None:
    seats = in_play()
    disconnect(seats.world, ConnectionKey(PlayerId(ANNA), ConnectionId(A1)), seats.memory.now)
    seats.memory.now += 3_000
    settle_table(seats.world, seats.table_id)
    assert seats.last(B1)["event"] == "away"
    seats.memory.connect(ANNA, "A2=")
    seats.join(ANNA, "A2=")
    assert seats.last(B1)["event"] == "back"
    assert seats.last("A2=")["view"]["you"] == "white"


def test_whoever_asks_is_answered_where_he_asked_seated_or_not() -> None:
    """The socket's row is dead by now, the socket may yet be open."""
    seats = in_play()
    move_id = seats.act(ANNA, "move", connection="A9=", uci="g1f3")
    assert (seats.last("A9=")["event"], seats.last("A9=")["re"]) == ("moved", move_id)


@pytest.mark.parametrize("side", ["mover", "waiter"])
def test_leaving_at_every_stage_ends_the_table_for_both(side: str) -> None:
    for plies, termination in ((0, "aborted"), (1, "aborted"), (2, "resignation")):
        seats = Seats()
        seats.play(*("e2e4", "e7e5")[:plies])
        on_move = str(seats.table.seat(seats.table.on_move).player_id)
        who = on_move if side == "mover" else (BEN if on_move == ANNA else ANNA)
        seats.act(who, "leaveTable")
        for connection in (A1, B1):
            assert seats.last(connection)["view"]["outcome"]["termination"] == termination
        assert all(player.seat is None for player in seats.memory.players.values())
        assert len(seats.memory.records) == (1 if plies == 2 else 0)


def test_an_early_timer_is_sent_again_and_settles_nothing() -> None:
    seats = in_play()
    armed = seats.table.timer_at
    assert armed is not None
    seats.memory.sent.clear()
    seats.memory.now = armed - 1
    before = seats.table
    wake(seats.world, seats.table_id, armed)
    assert seats.memory.sent == [(seats.table_id, armed)]
    assert seats.table == before


def test_a_stranger_learns_nothing_of_a_table_he_names() -> None:
    seats = with_carl()
    seats.act(CARL, "move", connection=C1, uci="g1f3")
    assert set(seats.last(C1)) == {"event", "re", "code", "notice"}


def test_who_was_first_is_waited_for_a_little_longer_each_time() -> None:
    seats = in_play()
    waited: list[int] = []
    seats.world = replace(seats.world, pause=waited.append)
    seats.memory.conflicts = 5
    seats.act(ANNA, "move", uci="g1f3")
    assert seats.last(A1)["code"] == "busy"
    assert waited == [1, 2, 3, 4]


def test_who_comes_back_by_sync_is_told_back_to_the_other() -> None:
    seats = in_play()
    disconnect(seats.world, ConnectionKey(PlayerId(ANNA), ConnectionId(A1)), seats.memory.now)
    seats.memory.now += 3_000
    settle_table(seats.world, seats.table_id)
    seats.memory.connect(ANNA, "A2=")
    seats.ask(sync, ANNA, "A2=", Sync(id=seats.new_id(), table=seats.table_id))
    assert seats.last(B1)["event"] == "back"


def test_a_client_that_holds_more_than_there_is_is_shown_what_there_is() -> None:
    seats = in_play()
    ahead = seats.table.v + 1
    seats.ask(sync, ANNA, A1, Sync(id=seats.new_id(), table=seats.table_id, v=ahead))
    assert seats.last(A1)["view"]["v"] == ahead - 1


def test_an_outdated_maker_who_waits_is_shown_nothing_for_he_plays_no_game() -> None:
    seats = with_carl()
    seats.memory.minimums["web"] = Minimum("2", "")
    seats.ask(hello, CARL, C1, SayHello(id=seats.new_id()))
    assert seats.last(C1)["code"] == "appOutdated"
    assert "view" not in seats.last(C1)
