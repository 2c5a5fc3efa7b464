"""One move through the use case: stored before told, told to everybody, once."""

from dataclasses import replace

import pytest

from shared.service.ports import Conflict, TableWrite
from shared.service.world import Caller
from tests.support.fakes import FakeTables, Memory
from tests.support.seats import A1, ANNA, B1, BEN, Seats


def test_both_players_hear_of_a_move_and_only_the_movers_copy_answers() -> None:
    seats = Seats()
    move_id = seats.act(ANNA, "move", uci="e2e4")
    assert seats.last(A1)["re"] == move_id
    assert "re" not in seats.last(B1)
    assert seats.last(A1)["v"] == seats.last(B1)["v"] == seats.table.v
    assert [seats.last(c)["event"] for c in (A1, B1)] == ["moved", "moved"]


def test_only_the_side_on_move_is_told_what_it_may_play() -> None:
    seats = Seats()
    seats.act(ANNA, "move", uci="e2e4")
    assert "legal" not in seats.last(A1)
    assert len(seats.last(B1)["legal"]) == 20


def test_a_move_is_stored_before_anybody_is_told() -> None:
    memory = Memory()
    seats = Seats(memory)

    class Failing(FakeTables):
        def write(self, write: TableWrite) -> None:
            raise ZeroDivisionError

    seats.world = replace(seats.world, tables=Failing(memory))
    told = len(memory.posted)
    with pytest.raises(ZeroDivisionError):
        seats.act(ANNA, "move", uci="e2e4")
    assert len(memory.posted) == told


def test_the_same_move_sent_twice_is_played_once_and_answered_twice() -> None:
    seats = Seats()
    move_id = seats.act(ANNA, "move", uci="e2e4")
    seats.memory.now += 5_000
    seats.act(ANNA, "move", uci="e2e4", id=move_id, ply=0)
    assert seats.table.ply == 1
    assert seats.last(A1)["re"] == move_id
    assert seats.last(A1)["v"] == seats.table.v


def test_a_repeat_of_the_head_is_shown_to_everybody_once_a_second() -> None:
    seats = Seats()
    move_id = seats.act(ANNA, "move", uci="e2e4")
    told = len(seats.memory.heard_by(B1))
    for _ in range(3):
        seats.memory.now += 100
        seats.act(ANNA, "move", uci="e2e4", id=move_id, ply=0)
    assert len(seats.memory.heard_by(B1)) == told + 1
    seats.memory.now += 1_000
    seats.act(ANNA, "move", uci="e2e4", id=move_id, ply=0)
    assert len(seats.memory.heard_by(B1)) == told + 2


def test_a_move_that_loses_the_race_is_decided_again() -> None:
    seats = Seats()
    seats.memory.conflicts = 4
    seats.act(ANNA, "move", uci="e2e4")
    assert seats.table.ply == 1


def test_after_five_lost_races_the_answer_is_busy_and_nothing_happened() -> None:
    seats = Seats()
    seats.memory.conflicts = 5
    before = seats.table
    seats.act(ANNA, "move", uci="e2e4")
    assert seats.last(A1)["code"] == "busy"
    assert seats.table == before


def test_a_conflict_with_ones_own_write_counts_as_success() -> None:
    """The write took effect, its answer was lost, and the SDK sent it again."""
    memory = Memory()
    seats = Seats(memory)

    class TookEffect(FakeTables):
        def write(self, write: TableWrite) -> None:
            super().write(write)
            raise Conflict

    seats.world = replace(seats.world, tables=TookEffect(memory))
    seats.act(ANNA, "move", uci="e2e4")
    assert seats.table.ply == 1
    assert seats.last(A1)["v"] == seats.last(B1)["v"] == seats.table.v


def test_a_dead_connection_is_forgotten_and_stops_nobody() -> None:
    seats = Seats()
    seats.memory.dead.add(B1)  # type: ignore[arg-type]
    seats.act(ANNA, "move", uci="e2e4")
    assert seats.table.ply == 1
    assert seats.last(A1)["event"] == "moved"
    assert seats.table.black.connections == ()
    assert seats.table.black.away_since == seats.memory.now


def test_a_player_who_moves_from_a_new_socket_is_attached_with_it() -> None:
    seats = Seats()
    seats.memory.connect(ANNA, "A2=")
    seats.act(ANNA, "move", connection="A2=", uci="e2e4")
    assert seats.table.white.connections == (A1, "A2=")
    assert seats.last("A2=")["event"] == seats.last(A1)["event"] == "moved"


def test_a_move_from_a_socket_that_has_died_since_still_counts() -> None:
    seats = Seats()
    seats.act(ANNA, "move", connection="A9=", uci="e2e4")
    assert seats.table.ply == 1
    assert "A9=" not in seats.table.white.connections


def test_a_stranger_is_not_seated_whatever_he_asks() -> None:
    seats = Seats()
    seats.memory.connect("stranger-strange", "S1=")
    before = seats.table
    for action, fields in (
        ("move", {"uci": "e2e4"}),
        ("resign", {}),
        ("abort", {}),
        ("offerDraw", {}),
        ("acceptDraw", {"v": 1}),
        ("claimFlag", {}),
        ("offerRematch", {}),
        ("leaveTable", {}),
    ):
        seats.act("stranger-strange", action, connection="S1=", **fields)
        assert seats.last("S1=")["code"] == "notSeated"
        assert "view" not in seats.last("S1=")
    assert seats.table == before


def test_a_stale_ply_is_refused_with_the_table_as_it_is() -> None:
    seats = Seats()
    seats.play("e2e4", "e7e5")
    seats.act(ANNA, "move", uci="d2d4", ply=0)
    refused = seats.last(A1)
    assert (refused["code"], refused["view"]["ply"]) == ("stalePly", 2)
    assert refused["notice"]


def test_received_at_judges_even_when_the_function_ran_late() -> None:
    seats = Seats()
    seats.play("e2e4", "e7e5")
    flag = seats.table.clock.turn_at + 60_000
    seats.memory.now = flag + 1_500
    caller = replace(seats.memory.caller(ANNA, A1), received_at=flag - 1)
    assert isinstance(caller, Caller)
    seats.memory.caller = lambda *_: caller  # type: ignore[method-assign]
    seats.act(ANNA, "move", uci="d2d4")
    assert seats.table.ply == 3
    assert seats.table.clock.white_ms == 900_000 - 1_000 - 59_999
    assert seats.table.clock.turn_at == flag + 1_500


def test_ben_moves_for_himself_only() -> None:
    seats = Seats()
    seats.act(BEN, "move", uci="e7e5")
    assert seats.last(B1)["code"] == "notYourTurn"
