"""What is measured: each scene sets its stage and returns the one thing whose cost is counted."""

from collections.abc import Callable
from typing import Final

from tests.support.in_process import Pair, Rig, seat_two
from tests.support.long_game import long_game
from tests.support.recorded_events import From, recorded

Act = Callable[[], object]
Scene = Callable[[Rig], Act]

NO_MOVE_LIMIT: Final = {"totalMs": 900_000, "perMoveMs": None, "incrementMs": 0}
HASTY: Final = {"totalMs": 15_000, "perMoveMs": None, "incrementMs": 0}
OPENING: Final = ("e2e4", "e7e5")


def connect(rig: Rig) -> Act:
    rig.arrive()
    return rig.arrive


def hello_of_a_guest(rig: Rig) -> Act:
    rig.say(rig.arrive(), "hello")
    guest = rig.arrive()
    return lambda: rig.say(guest, "hello")


def hello_into_a_game(rig: Rig) -> Act:
    pair = _opened(rig)
    rig.say(pair.white, "hello")
    again = rig.arrive(pair.white.player)
    return lambda: rig.say(again, "hello")


def ping(rig: Rig) -> Act:
    guest = rig.arrive()
    return lambda: rig.say(guest, "ping")


def create_table(rig: Rig) -> Act:
    guest = _known(rig)
    return lambda: rig.say(guest, "createTable")


def join_table(rig: Rig) -> Act:
    maker, guest = rig.arrive(), _known(rig)
    code = rig.say(maker, "createTable")["view"]["code"]
    return lambda: rig.say(guest, "joinTable", code=code)


def join_with_a_wrong_code(rig: Rig) -> Act:
    guest = _known(rig)
    return lambda: rig.say(guest, "joinTable", code="AAAAAA")


def move(rig: Rig) -> Act:
    pair = _opened(rig)
    return lambda: pair.move(2, "g1f3")


def first_move(rig: Rig) -> Act:
    pair = seat_two(rig)
    return lambda: pair.move(0, "e2e4")


def move_with_three_connections(rig: Rig) -> Act:
    pair = _opened(rig)
    tab = rig.arrive(pair.black.player)
    rig.say(tab, "hello")
    return lambda: pair.move(2, "g1f3")


def move_in_a_long_game(rig: Rig) -> Act:
    ucis = long_game(240)
    pair = seat_two(rig)
    for origin in (pair.white, pair.black):
        for _number in range(3):
            rig.say(rig.arrive(origin.player), "hello")
    pair.play(*ucis[:-1], wait_ms=2_000)
    return lambda: pair.move(len(ucis) - 1, ucis[-1])


def move_that_arms_a_timer(rig: Rig) -> Act:
    pair = seat_two(rig, timeControl=HASTY)
    for ply, (wait_ms, uci) in enumerate([(1_000, "e2e4"), (1_000, "e7e5"), (10_000, "g1f3")]):
        rig.pass_(wait_ms)
        pair.move(ply, uci)
    rig.pass_(6_000)
    return lambda: pair.move(3, "b8c6")


def mating_move(rig: Rig) -> Act:
    pair = seat_two(rig)
    pair.play("f2f3", "e7e5", "g2g4")
    return lambda: pair.move(3, "d8h4")


def illegal_move(rig: Rig) -> Act:
    pair = _opened(rig)
    return lambda: pair.move(2, "e4e6")


def repeated_move(rig: Rig) -> Act:
    pair = _opened(rig)
    said = {"table": pair.table, "game": 1, "ply": 2, "uci": "g1f3", "id": "the-same-again-x"}
    rig.say(pair.white, "move", **said)
    return lambda: rig.say(pair.white, "move", **said)


def resign(rig: Rig) -> Act:
    pair = _opened(rig)
    return lambda: rig.say(pair.white, "resign", table=pair.table, game=1, ply=2)


def abort(rig: Rig) -> Act:
    pair = seat_two(rig)
    return lambda: rig.say(pair.white, "abort", table=pair.table, game=1, ply=0)


def offer_draw(rig: Rig) -> Act:
    pair = _opened(rig)
    return lambda: rig.say(pair.white, "offerDraw", table=pair.table, game=1, ply=2)


def decline_draw(rig: Rig) -> Act:
    pair, v = _offered(rig)
    return lambda: rig.say(pair.black, "declineDraw", table=pair.table, game=1, ply=2, v=v)


def accept_draw(rig: Rig) -> Act:
    pair, v = _offered(rig)
    return lambda: rig.say(pair.black, "acceptDraw", table=pair.table, game=1, ply=2, v=v)


def offer_rematch(rig: Rig) -> Act:
    pair = _finished(rig)
    return lambda: rig.say(pair.white, "offerRematch", table=pair.table, game=1, ply=4)


def accept_rematch(rig: Rig) -> Act:
    pair = _finished(rig)
    offer = rig.say(pair.white, "offerRematch", table=pair.table, game=1, ply=4)
    head = {"table": pair.table, "game": 1, "ply": 4, "v": offer["v"]}
    return lambda: rig.say(pair.black, "acceptRematch", **head)


def sync_at_the_head(rig: Rig) -> Act:
    pair = _opened(rig)
    return lambda: rig.say(pair.white, "sync", table=pair.table, v=4)


def sync_behind_the_head(rig: Rig) -> Act:
    pair = _opened(rig)
    return lambda: rig.say(pair.white, "sync", table=pair.table, v=1)


def timer_with_nothing_due(rig: Rig) -> Act:
    pair = seat_two(rig, timeControl=HASTY)
    armed = rig.aws.queued[-1]["timerAt"]
    pair.play(*OPENING, wait_ms=2_000)
    rig.now = armed
    return lambda: rig.ring(pair.table, armed)


def timer_for_another_instant(rig: Rig) -> Act:
    pair = _opened(rig)
    return lambda: rig.ring(pair.table, 1)


def timer_at_the_flag(rig: Rig) -> Act:
    pair = seat_two(rig, timeControl=HASTY)
    pair.play(*OPENING)
    armed = rig.aws.queued[-1]["timerAt"]
    rig.now = armed
    return lambda: rig.ring(pair.table, armed)


def close_of_a_tab(rig: Rig) -> Act:
    pair = _opened(rig)
    tab = rig.arrive(pair.white.player)
    rig.say(tab, "hello")
    return lambda: rig.leave(tab)


def close_of_the_last(rig: Rig) -> Act:
    pair = _opened(rig)
    return lambda: rig.leave(pair.white)


def close_of_a_guest(rig: Rig) -> Act:
    guest = rig.arrive()
    return lambda: rig.leave(guest)


def sweep_with_nothing_due(rig: Rig) -> Act:
    return lambda: rig.call("sweep", recorded("sweep"))


def quiet_minute(rig: Rig) -> Act:
    pair = seat_two(rig, timeControl=NO_MOVE_LIMIT)
    pair.play(*OPENING)
    rig.pass_(60_000)
    return lambda: rig.pass_(60_000)


def whole_game(wait_ms: int) -> Scene:
    """80 plies, each after `wait_ms`, timers ringing meanwhile; then White resigns."""

    def scene(rig: Rig) -> Act:
        pair = seat_two(rig)

        def act() -> None:
            for ply, uci in enumerate(long_game(80)):
                rig.pass_(wait_ms)
                pair.move(ply, uci)
            rig.say(pair.white, "resign", table=pair.table, game=1, ply=80)

        return act

    return scene


SCENES: Final[dict[str, Scene]] = {
    "authorize and connect": connect,
    "hello of a guest": hello_of_a_guest,
    "hello into a live game (a second connection)": hello_into_a_game,
    "ping": ping,
    "createTable": create_table,
    "joinTable": join_table,
    "joinTable with a wrong code": join_with_a_wrong_code,
    "first move": first_move,
    "move": move,
    "move, three connections at the table": move_with_three_connections,
    "move, STATE over 1 KB, eight connections": move_in_a_long_game,
    "move that arms a timer": move_that_arms_a_timer,
    "move that mates": mating_move,
    "move that is illegal": illegal_move,
    "move sent again": repeated_move,
    "resign": resign,
    "abort": abort,
    "offerDraw": offer_draw,
    "declineDraw": decline_draw,
    "acceptDraw": accept_draw,
    "offerRematch": offer_rematch,
    "acceptRematch": accept_rematch,
    "sync at the head": sync_at_the_head,
    "sync behind the head": sync_behind_the_head,
    "timer with nothing due, armed anew": timer_with_nothing_due,
    "timer that is not the armed one": timer_for_another_instant,
    "timer at the flag": timer_at_the_flag,
    "disconnect, another connection stays": close_of_a_tab,
    "disconnect, nobody stays": close_of_the_last,
    "disconnect without a seat": close_of_a_guest,
    "sweep with nothing due": sweep_with_nothing_due,
    "quiet minute of a live game": quiet_minute,
    "game of 80 plies, 2 s each, from the first move to resigning": whole_game(2_000),
    "game of 80 plies, 10 s each": whole_game(10_000),
    "game of 80 plies, 20 s each": whole_game(20_000),
}


def _known(rig: Rig) -> From:
    """A guest who has said hello: the settings have just been read."""
    guest = rig.arrive()
    rig.say(guest, "hello")
    return guest


def _opened(rig: Rig) -> Pair:
    pair = seat_two(rig)
    pair.play(*OPENING)
    return pair


def _offered(rig: Rig) -> tuple[Pair, int]:
    pair = _opened(rig)
    offer = rig.say(pair.white, "offerDraw", table=pair.table, game=1, ply=2)
    return pair, int(offer["v"])


def _finished(rig: Rig) -> Pair:
    pair = seat_two(rig)
    pair.play("f2f3", "e7e5", "g2g4", "d8h4")
    return pair
