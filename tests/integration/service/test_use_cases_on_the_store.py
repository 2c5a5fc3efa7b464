"""The use cases on real repositories: what the fakes promise, the store keeps."""

from dataclasses import replace

import pytest

from shared.game.table import Status, Table
from shared.protocol.inbound import CreateTable, SayHello, Sync
from shared.service.connect import connect, disconnect
from shared.service.create import create
from shared.service.hello import hello
from shared.service.ports import Arrival, ConnectionKey
from shared.service.sync import sync
from shared.service.wake import settle_table, sweep
from shared.service.world import World
from shared.store.codes import Codes
from shared.store.connections import Connections
from shared.store.games import Games
from shared.store.limits import Limits
from shared.store.models import bind
from shared.store.players import Players
from shared.store.tables import Tables
from tests.support.fakes import Memory
from tests.support.ministack import make_tables, ministack
from tests.support.seats import A1, ANNA, B1, BEN, Seats

__all__ = ["ministack"]


class StoredMemory(Memory):
    """The memory's clock and posts, with DynamoDB behind everything that is stored."""

    def world(self, policy: object = None) -> World:
        fake = super().world()

        def now() -> int:
            return self.now

        return replace(
            fake,
            tables=Tables(now),
            codes=Codes(now),
            players=Players(),
            connections=Connections(),
            limits=Limits(),
        )

    def connect(self, name: str, connection: str) -> None:
        key = ConnectionKey(name, connection)  # type: ignore[arg-type]
        connect(self.world(), Arrival(key, "1.0.0", "web", "en", self.now))


class StoredSeats(Seats):
    """Seats whose table is read from the store."""

    @property
    def table(self) -> Table:
        table = self.world.tables.get(self.table_id)
        assert table is not None
        return table


@pytest.fixture
def game(ministack: str) -> StoredSeats:
    """A live game on DynamoDB tables of its own."""
    bind(make_tables(ministack))
    return StoredSeats(StoredMemory())


def test_a_game_is_stored_move_by_move_and_recorded_once(game: StoredSeats) -> None:
    game.play("f2f3", "e7e5", "g2g4", "d8h4")
    assert game.last(A1)["outcome"]["termination"] == "checkmate"
    assert game.table.status is Status.OVER
    record = Games().record(game.table_id, 1)
    assert record is not None
    assert len(Games().history(ANNA, 10)) >= 1  # type: ignore[arg-type]
    player = game.world.players.get(BEN)  # type: ignore[arg-type]
    assert player is not None
    assert (player.seat, player.last_table) == (None, game.table_id)


def test_rematch_claims_the_seats_again(game: StoredSeats) -> None:
    game.play("f2f3", "e7e5", "g2g4", "d8h4")
    game.act(ANNA, "offerRematch")
    game.act(BEN, "acceptRematch", v=game.table.v)
    assert game.table.game == 2
    assert game.world.players.get(ANNA).seat == game.table_id  # type: ignore[arg-type, union-attr]
    game.act(BEN, "abort")
    assert game.world.players.get(ANNA).seat is None  # type: ignore[arg-type, union-attr]


def test_a_repeated_create_and_a_second_seat(game: StoredSeats) -> None:
    again = CreateTable(id=game.created_id, colour="white")
    game.ask(create, ANNA, A1, again)
    assert game.last(A1)["event"] == "created"
    assert game.last(A1)["table"] == game.table_id
    game.ask(create, ANNA, A1, CreateTable(id="createcreatecr-9"))
    assert game.last(A1)["code"] == "seatHeld"
    game.act(ANNA, "abort")
    game.ask(create, ANNA, A1, again)
    assert game.last(A1)["table"] == game.table_id


def test_disconnect_and_return(game: StoredSeats) -> None:
    game.play("e2e4", "e7e5")
    disconnect(game.world, ConnectionKey(ANNA, A1), game.memory.now)  # type: ignore[arg-type]
    assert game.table.white.connections == ()
    game.memory.now += 3_000
    settle_table(game.world, game.table_id)
    assert game.last(B1)["event"] == "away"
    game.memory.connect(ANNA, "A7=")
    game.ask(hello, ANNA, "A7=", SayHello(id=game.new_id()))
    assert game.last(B1)["event"] == "back"
    assert game.last("A7=")["view"]["seats"]["white"] == {"taken": True}
    game.ask(sync, ANNA, A1, Sync(id=game.new_id(), table=game.table_id, v=game.table.v))
    assert game.last(A1)["event"] == "unchanged"
    assert A1 not in game.table.white.connections
    game.act(BEN, "resign")


def test_the_sweep_settles_what_a_lost_timer_left(game: StoredSeats) -> None:
    game.play("e2e4", "e7e5")
    game.memory.now += 100_000
    assert sweep(game.world) >= 1
    for _ in range(5):
        game.memory.now += 100_000
        sweep(game.world)
    assert game.table.status is Status.OVER
    assert game.table.timer_at is None
