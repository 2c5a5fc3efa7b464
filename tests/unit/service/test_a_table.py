"""Tables made, joined, ended and played at again, through the use cases."""

import msgspec

from shared.game.table import Status
from shared.protocol.inbound import CreateTable, JoinTable, SayHello, Sync
from shared.service.connect import disconnect
from shared.service.create import create
from shared.service.hello import hello
from shared.service.join import join
from shared.service.ports import ConnectionKey, Minimum
from shared.service.sync import sync
from shared.service.wake import settle_table, sweep, wake
from tests.support.fakes import Memory
from tests.support.seats import A1, ANNA, B1, BEN, Seats


def _create(seats: Seats, who: str, connection: str, id: str) -> None:
    seats.ask(create, who, connection, CreateTable(id=id, colour="white"))


def test_a_repeated_create_finds_its_own_table() -> None:
    seats = Seats()
    seats.memory.connect("carl-carl-carl-c", "C1=")
    for _ in range(2):
        _create(seats, "carl-carl-carl-c", "C1=", "createcreatecr-1")
    first, second = seats.memory.heard_by("C1=")
    assert first["event"] == second["event"] == "created"
    assert first["view"] == second["view"]
    assert len(seats.memory.tables) == 2


def test_a_player_holds_one_seat() -> None:
    seats = Seats()
    _create(seats, ANNA, A1, "createcreatecr-2")
    assert seats.last(A1)["code"] == "seatHeld"
    assert seats.last(A1)["parameters"] == {"table": seats.table_id}
    assert len(seats.memory.tables) == 1


def test_a_code_that_is_taken_says_full_to_others_and_shows_the_table_to_its_own() -> None:
    seats = Seats()
    seats.memory.connect("carl-carl-carl-c", "C1=")
    seats.join("carl-carl-carl-c", "C1=")
    assert seats.last("C1=")["code"] == "tableFull"
    seats.join(BEN, B1)
    assert seats.last(B1)["event"] == "view"
    assert seats.last(B1)["view"]["you"] == "black"


def test_ten_wrong_codes_a_minute_and_then_none() -> None:
    seats = Seats()
    seats.memory.connect("carl-carl-carl-c", "C1=")
    for _ in range(10):
        seats.join("carl-carl-carl-c", "C1=", code="AAAAAA")
        assert seats.last("C1=")["code"] == "tableNotFound"
    seats.join("carl-carl-carl-c", "C1=", code="AAAAAA")
    assert seats.last("C1=")["code"] == "tooManyGuesses"
    seats.memory.now = int(seats.last("C1=")["parameters"]["retryAt"])
    seats.join("carl-carl-carl-c", "C1=", code="AAAAAA")
    assert seats.last("C1=")["code"] == "tableNotFound"


def test_a_code_drawn_twice_is_drawn_again() -> None:
    memory = Memory()
    seats = Seats(memory)
    memory.drawn = 0
    memory.connect("carl-carl-carl-c", "C1=")
    _create(seats, "carl-carl-carl-c", "C1=", "createcreatecr-3")
    assert seats.last("C1=")["view"]["code"] != seats.code


def test_when_every_code_is_taken_nothing_is_made() -> None:
    memory = Memory()
    seats = Seats(memory)
    memory.draw = lambda size: (1).to_bytes(size, "big")  # type: ignore[method-assign]
    seats.world = memory.world()
    memory.connect("carl-carl-carl-c", "C1=")
    _create(seats, "carl-carl-carl-c", "C1=", "createcreatecr-4")
    assert seats.last("C1=")["code"] == "noFreeCode"
    assert len(memory.tables) == 1


def test_every_ending_releases_both_seats_and_keeps_one_record() -> None:
    seats = Seats()
    seats.play("f2f3", "e7e5", "g2g4", "d8h4")
    assert seats.last(A1)["outcome"]["termination"] == "checkmate"
    assert seats.memory.players[ANNA].seat is None  # type: ignore[index]
    assert seats.memory.players[BEN].last_table == seats.table_id  # type: ignore[index]
    assert [record.outcome.result for record in seats.memory.records] == ["0-1"]
    seats.act(BEN, "resign")
    assert seats.last(B1)["code"] == "gameOver"
    assert len(seats.memory.records) == 1


def test_an_aborted_game_leaves_no_record_and_no_seat() -> None:
    seats = Seats()
    seats.act(ANNA, "abort")
    assert seats.table.status is Status.OVER
    assert seats.memory.records == []
    assert seats.memory.players[BEN].seat is None  # type: ignore[index]


def test_a_rematch_claims_both_seats_anew_with_colours_changed() -> None:
    seats = Seats()
    seats.play("f2f3", "e7e5", "g2g4", "d8h4")
    seats.act(ANNA, "offerRematch")
    offer = seats.last(B1)["view"]["rematchOffer"]
    seats.act(BEN, "acceptRematch", v=offer["v"])
    assert seats.table.game == 2
    assert seats.table.white.player_id == BEN
    assert seats.memory.players[ANNA].seat == seats.table_id  # type: ignore[index]
    assert seats.last(A1)["view"]["you"] == "black"
    assert seats.last(A1)["view"]["ply"] == 0


def test_a_rematch_with_somebody_who_sits_elsewhere_is_refused() -> None:
    seats = Seats()
    seats.play("f2f3", "e7e5", "g2g4", "d8h4")
    seats.act(ANNA, "offerRematch")
    _create(seats, ANNA, A1, "createcreatecr-5")
    seats.act(BEN, "acceptRematch", v=seats.table.v)
    assert seats.last(B1)["code"] == "opponentLeft"
    assert seats.table.status is Status.OVER


def test_hello_brings_back_the_game_after_a_reload() -> None:
    seats = Seats()
    seats.play("e2e4")
    disconnect(seats.world, ConnectionKey(ANNA, A1), seats.memory.now)  # type: ignore[arg-type]
    seats.memory.connect(ANNA, "A2=")
    seats.ask(hello, ANNA, "A2=", SayHello(id=seats.new_id()))
    answer = seats.last("A2=")
    assert answer["event"] == "hello"
    assert answer["view"]["moves"] == ["e2e4"]
    assert seats.table.white.connections == ("A2=",)


def test_sync_answers_unchanged_at_the_head_and_the_view_below_it() -> None:
    seats = Seats()
    table, head = seats.table_id, seats.table.v
    seats.ask(sync, ANNA, A1, Sync(id=seats.new_id(), table=table, v=head))
    assert seats.last(A1)["event"] == "unchanged"
    seats.ask(sync, ANNA, A1, Sync(id=seats.new_id(), table=table, v=head - 1))
    assert seats.last(A1)["view"]["v"] == head


def test_sync_of_a_stranger_finds_no_table() -> None:
    seats = Seats()
    seats.ask(sync, "stranger-strange", "S1=", Sync(id=seats.new_id(), table=seats.table_id))
    assert seats.last("S1=")["code"] == "tableNotFound"


def test_a_flag_falls_by_timer_and_is_dated_when_it_fell() -> None:
    seats = Seats()
    seats.play("e2e4", "e7e5")
    flag = seats.table.clock.turn_at + 60_000
    seats.memory.now = flag + 1_999
    settle_table(seats.world, seats.table_id)
    assert seats.table.status is Status.LIVE
    seats.memory.now = flag + 2_000
    settle_table(seats.world, seats.table_id)
    assert seats.table.outcome is not None
    assert seats.table.outcome.at == flag
    assert seats.last(B1)["event"] == "ended"
    assert seats.last(B1)["view"]["outcome"]["result"] == "0-1"


def test_a_timer_for_another_instant_is_dropped_without_arming() -> None:
    seats = Seats()
    sent = len(seats.memory.sent)
    seats.memory.now += 100_000
    wake(seats.world, seats.table_id, 12345)
    assert len(seats.memory.sent) == sent
    assert seats.table.status is Status.LIVE


def test_a_timer_that_comes_early_is_sent_again() -> None:
    seats = Seats()
    armed = seats.table.timer_at
    assert armed is not None
    before = seats.table
    wake(seats.world, seats.table_id, armed)
    assert seats.memory.sent[-1] == (seats.table_id, armed)
    assert seats.table == before


def test_a_live_game_always_has_a_timer_and_the_sweep_makes_good_a_lost_one() -> None:
    seats = Seats()
    for _ in range(12):
        assert seats.table.timer_at is not None
        seats.memory.now = seats.table.timer_at + 20_000
        assert sweep(seats.world) == 1
        if seats.table.status is Status.OVER:
            break
    assert seats.table.outcome is not None
    assert seats.table.timer_at is None


def test_a_player_who_stays_away_is_removed_after_his_minute() -> None:
    seats = Seats()
    seats.play("e2e4", "e7e5", "g1f3")
    lost_at = seats.memory.now
    disconnect(seats.world, ConnectionKey(ANNA, A1), lost_at)  # type: ignore[arg-type]
    seats.memory.now = lost_at + 3_000
    settle_table(seats.world, seats.table_id)
    assert seats.last(B1)["event"] == "away"
    assert seats.last(B1)["view"]["seats"]["white"]["removalAt"] == lost_at + 60_000


def test_an_outdated_app_is_refused_before_anything_is_shown() -> None:
    seats = Seats()
    seats.memory.minimums["web"] = Minimum("2", "https://store.example")
    seats.memory.connect("carl-carl-carl-c", "C1=")
    seats.ask(hello, "carl-carl-carl-c", "C1=", SayHello(id=seats.new_id()))
    assert seats.last("C1=")["code"] == "appOutdated"
    assert seats.last("C1=")["parameters"] == {"minimum": "2", "store": "https://store.example"}
    seats.ask(join, "carl-carl-carl-c", "C1=", JoinTable(id=seats.new_id(), code=seats.code))
    assert seats.last("C1=")["code"] == "appOutdated"


def test_an_outdated_app_may_finish_its_live_game_but_not_begin_another() -> None:
    seats = Seats()
    seats.memory.minimums["web"] = Minimum("2", "")
    seats.ask(hello, ANNA, A1, SayHello(id=seats.new_id()))
    assert seats.last(A1)["event"] == "hello"
    seats.play("f2f3", "e7e5", "g2g4", "d8h4")
    assert seats.table.status is Status.OVER
    seats.act(ANNA, "offerRematch")
    assert seats.last(A1)["code"] == "appOutdated"


def test_messages_are_what_the_protocol_says() -> None:
    seats = Seats()
    raw = msgspec.json.encode(seats.last(A1))
    assert b"player" not in raw
    assert seats.last(A1)["event"] == "seated"
