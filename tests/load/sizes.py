"""How many bytes STATE takes as a game goes on, and each kind of message."""

import statistics
from collections import defaultdict

import msgspec

from shared.protocol.inbound import Ping, SayHello, Sync
from shared.service.hello import hello
from shared.service.sync import ping, sync
from shared.service.wake import settle_table
from shared.store.state_item import encode
from tests.load.figures import Figure, figure, give
from tests.support.item_size import item_size
from tests.support.long_game import long_game
from tests.support.seats import A1, ANNA, BEN, Seats

AT_PLIES = (0, 40, 80, 120, 200)
KEY_BYTES = len("table_id") + 16 + len("part") + len("STATE")
CONNECTIONS = 4


def main() -> None:
    """Both."""
    give([*_states(), *_messages()])


def _states() -> list[Figure]:
    """With one connection a side, as API Gateway names them, and with the most there may be."""
    found = []
    for each in (1, CONNECTIONS):
        seats, ucis = Seats(), long_game(max(AT_PLIES))
        for number in range(1, each):
            for who in (ANNA, BEN):
                connection = f"L{number}{who[:2]}fMsdCPiAMEn4A="
                seats.memory.connect(who, connection)
                seats.act(who, "claimFlag", connection=connection)
        for ply in range(max(AT_PLIES) + 1):
            if ply in AT_PLIES:
                size = KEY_BYTES + item_size(encode(seats.table))
                what = f"STATE at ply {ply}, {each} connection{'s' if each > 1 else ''} a side"
                found.append(figure(what, "bytes", [float(size)]))
            if ply < len(ucis):
                seats.play(ucis[ply])
    return found


def _messages() -> list[Figure]:
    seats = Seats()
    seats.memory.now += 1_000
    seats.act(ANNA, "move", uci="e2e5")
    for uci in long_game(60):
        seats.play(uci)
    _questions(seats)
    seats.act(ANNA, "offerDraw")
    seats.act(BEN, "declineDraw", v=seats.table.v)
    seats.act(BEN, "resign")
    seats.act(ANNA, "offerRematch")
    seats.act(BEN, "acceptRematch", v=seats.table.v)
    sizes: dict[str, list[float]] = defaultdict(list)
    for _, message in seats.memory.posted:
        sizes[str(message["event"])].append(float(len(msgspec.json.encode(message))))
    return [
        figure(f"message {event}", "bytes", [statistics.median(found)])
        for event, found in sorted(sizes.items())
    ]


def _questions(seats: Seats) -> None:
    """What is said between moves."""
    table, v = seats.table_id, seats.table.v
    seats.ask(hello, ANNA, A1, SayHello(id=seats.new_id()))
    seats.ask(ping, ANNA, A1, Ping(id=seats.new_id()))
    seats.ask(sync, ANNA, A1, Sync(id=seats.new_id(), table=table, v=v))
    seats.ask(sync, ANNA, A1, Sync(id=seats.new_id(), table=table, v=0))
    seats.memory.now += 46_000
    settle_table(seats.world, table)


if __name__ == "__main__":
    main()
