"""Sockets that come and go in every order: who is there, who is away, who hears of it."""

from collections.abc import Callable
from itertools import permutations

import pytest

from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.game.table import Status
from shared.protocol.inbound import CreateTable, SayHello, Sync
from shared.service.connect import connect, disconnect
from shared.service.create import create
from shared.service.hello import hello
from shared.service.ports import Arrival, ConnectionKey, Minimum
from shared.service.sync import sync
from shared.service.wake import settle_table
from tests.support.fakes import Memory
from tests.support.seats import A1, ANNA, B1, BEN, Seats


def key(who: str, connection: str) -> ConnectionKey:
    return ConnectionKey(PlayerId(who), ConnectionId(connection))


def opens(seats: Seats, connection: str, who: str = ANNA) -> None:
    connect(seats.world, Arrival(key(who, connection), "1.0.0", "web", "en", seats.memory.now))


def greets(seats: Seats, connection: str, who: str = ANNA) -> None:
    seats.ask(hello, who, connection, SayHello(id=seats.new_id()))


def closes(seats: Seats, connection: str, at: int | None = None, who: str = ANNA) -> None:
    disconnect(seats.world, key(who, connection), seats.memory.now if at is None else at)


def asks(seats: Seats, connection: str, who: str = ANNA) -> None:
    seats.ask(sync, who, connection, Sync(id=seats.new_id(), table=seats.table_id))


def passes(seats: Seats, milliseconds: int) -> None:
    seats.memory.now += milliseconds
    settle_table(seats.world, seats.table_id)


def presence_told(seats: Seats) -> list[object]:
    told = [message["event"] for message in seats.memory.heard_by(B1)]
    return [event for event in told if event in {"away", "back"}]


def in_play() -> Seats:
    seats = Seats()
    seats.play("e2e4", "e7e5")
    return seats


@pytest.mark.parametrize(
    "order",
    [
        order
        for order in permutations(["open", "greet", "close"])
        if order.index("open") < order.index("greet")
    ],
)
def test_a_goodbye_of_the_old_socket_leaves_the_new_one_whenever_it_comes(
    order: tuple[str, ...],
) -> None:
    """C056: the new one is on the seat, nobody is counted out, nobody is told of it."""
    seats = in_play()
    steps = {
        "open": lambda: opens(seats, "A2="),
        "greet": lambda: greets(seats, "A2="),
        "close": lambda: closes(seats, A1),
    }
    for step in order:
        steps[step]()
        seats.memory.now += 100
    assert seats.table.white.connections == ("A2=",)
    assert seats.table.white.away_since is None
    passes(seats, 20_000)
    assert presence_told(seats) == []
    assert seats.memory.alive[key(ANNA, "A2=")] == seats.table_id


def test_a_goodbye_that_overtakes_its_own_hello_is_final() -> None:
    seats = in_play()
    closes(seats, "A2=")
    opens(seats, "A2=")
    greets(seats, "A2=")
    asks(seats, "A2=")
    assert seats.table.white.connections == (A1,)
    closes(seats, A1)
    assert seats.table.white.is_away


def test_a_goodbye_told_twice_counts_from_the_first() -> None:
    seats = in_play()
    left_at = seats.memory.now
    closes(seats, A1, left_at)
    closes(seats, A1, left_at + 30_000)
    assert seats.table.white.away_since == left_at


def test_away_for_a_while_and_back_is_told_both_times() -> None:
    """C058a."""
    seats = in_play()
    closes(seats, A1)
    passes(seats, 3_000)
    passes(seats, 20_000)
    opens(seats, "A2=")
    greets(seats, "A2=")
    assert presence_told(seats) == ["away", "back"]
    passes(seats, 30_000)
    assert presence_told(seats) == ["away", "back"]
    assert seats.table.status is Status.LIVE


def test_of_two_tabs_the_first_to_close_changes_nothing_the_second_starts_the_count() -> None:
    """C058b, c."""
    seats = in_play()
    opens(seats, "A2=")
    greets(seats, "A2=")
    closes(seats, A1)
    passes(seats, 5_000)
    assert presence_told(seats) == []
    left_at = seats.memory.now
    closes(seats, "A2=")
    passes(seats, 3_000)
    assert presence_told(seats) == ["away"]
    assert seats.last(B1)["view"]["seats"]["white"]["removalAt"] == left_at + 60_000


def test_an_old_goodbye_that_comes_last_does_not_count_time_in_which_the_player_was_there() -> None:
    """A2 came after A1 had gone; that A1 had gone is only heard of after A2 has gone too."""
    seats = in_play()
    gone_at = seats.memory.now
    seats.memory.now += 40_000
    opens(seats, "A2=")
    greets(seats, "A2=")
    back_at = seats.memory.now
    seats.memory.now += 5_000
    closes(seats, "A2=")
    assert not seats.table.white.is_away
    closes(seats, A1, gone_at)
    assert seats.table.white.away_since == back_at


def with_four() -> Seats:
    seats = in_play()
    for connection in ("A2=", "A3=", "A4="):
        opens(seats, connection)
        greets(seats, connection)
    return seats


def test_a_fifth_socket_takes_the_place_of_the_oldest_which_is_told_and_closed() -> None:
    seats = with_four()
    opens(seats, "A5=")
    greets(seats, "A5=")
    assert seats.table.white.connections == ("A2=", "A3=", "A4=", "A5=")
    assert seats.last(A1) == {"event": "replaced", "table": seats.table_id}
    assert seats.memory.closed == [A1]
    assert seats.last("A5=")["event"] == "hello"
    assert presence_told(seats) == []


@pytest.mark.parametrize("says", [asks, greets])
def test_an_evicted_socket_that_was_just_speaking_evicts_nobody(
    says: Callable[[Seats, str], None],
) -> None:
    """Its `sync` was under way when it was replaced: it is answered, and not seated again."""
    seats = with_four()
    opens(seats, "A5=")
    greets(seats, "A5=")
    says(seats, A1)
    assert seats.table.white.connections == ("A2=", "A3=", "A4=", "A5=")
    assert seats.memory.closed == [A1]
    closes(seats, A1)
    assert not seats.table.white.is_away


def test_a_fifth_socket_that_moves_is_seated_and_the_move_counts() -> None:
    seats = with_four()
    opens(seats, "A5=")
    seats.act(ANNA, "move", connection="A5=", uci="g1f3")
    assert seats.table.ply == 3
    assert seats.last(A1)["event"] == "replaced"
    assert seats.last("A5=")["event"] == "moved"


def over() -> Seats:
    seats = Seats()
    seats.play("f2f3", "e7e5", "g2g4", "d8h4")
    return seats


def sits_elsewhere(seats: Seats, connection: str = A1) -> TableId:
    said = CreateTable(id="createcreatecr-7", colour="white")
    seats.ask(create, ANNA, connection, said)
    return TableId(str(seats.last(connection)["table"]))


@pytest.mark.parametrize("way", ["sync", "join", "offerRematch", "move"])
def test_a_look_at_an_old_table_does_not_hide_the_end_of_a_socket_from_the_new_one(
    way: str,
) -> None:
    """A goodbye is told to the table that the socket was attached to last."""
    seats = over()
    opens(seats, "A2=")
    elsewhere = sits_elsewhere(seats, "A2=")
    match way:
        case "sync":
            asks(seats, "A2=")
        case "join":
            seats.join(ANNA, "A2=")
        case "offerRematch":
            seats.act(ANNA, "offerRematch", connection="A2=")
        case _:
            seats.act(ANNA, "move", connection="A2=", uci="e2e4")
    closes(seats, "A2=")
    assert seats.memory.tables[elsewhere].white.is_away


def test_a_rematch_after_a_table_in_between_still_hears_of_the_goodbye() -> None:
    seats = over()
    elsewhere = sits_elsewhere(seats)
    seats.act(ANNA, "leaveTable", table=elsewhere, game=1, ply=0)
    assert seats.memory.tables[elsewhere].status is Status.OVER
    seats.act(BEN, "offerRematch")
    seats.act(ANNA, "acceptRematch", v=seats.table.v)
    assert seats.table.status is Status.LIVE
    closes(seats, A1)
    assert seats.table.black.is_away


def test_a_rematch_that_the_other_accepts_after_a_table_in_between_hears_of_the_goodbye() -> None:
    """His offer stood while he was elsewhere; he is brought back without a word of his."""
    seats = over()
    seats.act(ANNA, "offerRematch")
    elsewhere = sits_elsewhere(seats)
    seats.act(ANNA, "leaveTable", table=elsewhere, game=1, ply=0)
    seats.act(BEN, "acceptRematch", v=seats.table.v)
    assert seats.table.status is Status.LIVE
    left_at = seats.memory.now
    closes(seats, A1, left_at)
    assert seats.table.black.away_since == left_at


def test_nobody_is_shown_as_away_once_the_game_is_over() -> None:
    """Nobody waits for him any more, and nothing tells that he is back: the view would not hold."""
    seats = in_play()
    closes(seats, A1)
    passes(seats, 3_000)
    assert seats.last(B1)["view"]["seats"]["white"]["away"]
    seats.act(BEN, "resign")
    ended = seats.last(B1)["view"]
    assert "away" not in ended["seats"]["white"]
    opens(seats, "A2=")
    greets(seats, "A2=")
    shown = seats.last("A2=")["view"]
    assert (shown["v"], shown["seats"]) == (ended["v"], ended["seats"])


def test_a_rematch_from_a_socket_that_has_died_since_waits_for_its_player() -> None:
    seats = over()
    closes(seats, A1)
    seats.act(BEN, "offerRematch")
    seats.act(ANNA, "acceptRematch", v=seats.table.v)
    assert seats.table.status.value == "seated"
    opens(seats, "A2=")
    greets(seats, "A2=")
    assert seats.table.status.value == "live"
    assert seats.last(B1)["event"] == "began"


def test_hello_without_a_seat_shows_the_last_table_and_its_rematch_offer() -> None:
    seats = over()
    seats.act(BEN, "offerRematch")
    closes(seats, A1)
    opens(seats, "A2=")
    greets(seats, "A2=")
    shown = seats.last("A2=")["view"]
    assert shown["outcome"]["result"] == "0-1"
    assert shown["rematchOffer"]["by"] == "black"
    assert "A2=" in seats.table.white.connections
    seats.memory.now += 7 * 24 * 3_600_000
    greets(seats, "A2=")
    assert "view" not in seats.last("A2=")


def test_a_waiting_maker_is_shown_his_code_by_whatever_way_he_asks() -> None:
    seats = over()
    sits_elsewhere(seats)
    code = seats.last(A1)["view"]["code"]
    table = str(seats.last(A1)["table"])
    seats.ask(sync, ANNA, A1, Sync(id=seats.new_id(), table=table))
    assert seats.last(A1)["view"]["code"] == code
    seats.join(ANNA, A1, code=code)
    assert seats.last(A1)["view"]["code"] == code
    greets(seats, A1)
    assert seats.last(A1)["view"]["code"] == code
    seats.act(ANNA, "resign", table=table, game=1, ply=0)
    assert seats.last(A1)["code"] == "notLive"
    assert seats.last(A1)["view"]["code"] == code


def test_nobody_but_the_waiting_maker_is_shown_a_code() -> None:
    seats = Seats()
    asks(seats, A1)
    assert "code" not in seats.last(A1)["view"]
    asks(seats, B1, BEN)
    assert "code" not in seats.last(B1)["view"]


def test_a_create_that_is_sent_again_from_a_new_socket_is_heard_there_from_then_on() -> None:
    """The first one's answer and its socket were lost together."""
    memory = Memory()
    seats = Seats(memory)
    seats.act(ANNA, "abort")
    said = CreateTable(id="createcreatecr-8", colour="white")
    seats.ask(create, ANNA, A1, said)
    table_id = TableId(str(seats.last(A1)["table"]))
    closes(seats, A1)
    opens(seats, "A2=")
    seats.ask(create, ANNA, "A2=", said)
    assert seats.last("A2=")["event"] == "created"
    assert memory.tables[table_id].white.connections == ("A2=",)
    seats.join(BEN, B1, code=seats.last("A2=")["view"]["code"])
    assert seats.last("A2=")["view"]["status"] == "live"


def test_an_outdated_player_may_come_back_to_a_live_game_alone() -> None:
    seats = in_play()
    seats.memory.minimums["web"] = Minimum("2", "")
    for message in (CreateTable(id="createcreatecr-9"), None):
        if message:
            seats.ask(create, ANNA, A1, message)
        else:
            seats.join(ANNA, A1)
        assert seats.last(A1)["code"] == "appOutdated"
        assert "view" not in seats.last(A1)
    opens(seats, "A2=")
    greets(seats, "A2=")
    assert seats.last("A2=")["view"]["moves"] == ["e2e4", "e7e5"]
    seats.act(ANNA, "resign")
    for action in ("offerRematch", "acceptRematch", "declineRematch"):
        answered = {} if action == "offerRematch" else {"v": seats.table.v}
        seats.act(ANNA, action, None, **answered)
        assert seats.last(A1)["code"] == "appOutdated"
        assert "view" not in seats.last(A1)
    greets(seats, "A2=")
    assert seats.last("A2=")["code"] == "appOutdated"
    assert "view" not in seats.last("A2=")
