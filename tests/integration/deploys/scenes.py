"""Tables in every state that a deploy may find them in, and what their players are shown."""

from dataclasses import dataclass
from typing import Any

from tests.support.in_process import Pair, Rig, seat_two
from tests.support.recorded_events import From, recorded

View = dict[str, Any]
OPENING = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5")


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its id and code, and the players' ids (the maker has white)."""

    id: str
    code: str
    white: str
    black: str | None


def set_up(rig: Rig) -> dict[str, Table]:
    """Play the scenes; each table is left in the state that it is named for."""
    tables = {
        "live": _live(rig),
        "over": _over(rig),
        "seated": _seated(rig),
        "waiting": _waiting(rig),
        "away": _away(rig),
    }
    rig.seated.clear()
    probed = seat_two(rig)
    probed.play(*OPENING)
    rig.seated.clear()  # nobody answers probes any more
    rig.pass_(47_000)
    return tables | {"probed": _table(probed)}


def shown(rig: Rig, tables: dict[str, Table]) -> dict[str, View]:
    """Return what each player is shown of his table, by scene and side."""
    views: dict[str, View] = {}
    for name, table in tables.items():
        for side, player in (("white", table.white), ("black", table.black)):
            if player is not None:
                stranger = From(player, f"unattached-{side}=")
                answer = rig.say(stranger, "sync", table=table.id, v=0)
                views[f"{name}/{side}"] = answer.get("view") or answer
    return views


def token_of(rig: Rig) -> tuple[str, str]:
    """Return a new guest's player id and his token."""
    guest = rig.arrive()
    return guest.player, rig.say(guest, "hello")["token"]


def player_of(rig: Rig, token: str) -> str:
    """Return who somebody with this token is taken for."""
    event = recorded("authorize")
    event["headers"]["Sec-WebSocket-Protocol"] = f"tabiya.v1, {token}"
    event["multiValueHeaders"]["Sec-WebSocket-Protocol"] = [f"tabiya.v1, {token}"]
    player: str = rig.call("authorize", event)["principalId"]
    return player


def _live(rig: Rig) -> Table:
    pair = seat_two(rig, timeControl={"totalMs": 900_000, "perMoveMs": None, "incrementMs": 2_000})
    rig.say(rig.arrive(pair.white.player), "hello")
    pair.play(*OPENING, wait_ms=1_234)
    pair.act(pair.white, "offerDraw")
    return _table(pair)


def _over(rig: Rig) -> Table:
    pair = seat_two(rig)
    pair.play("f2f3", "e7e5", "g2g4", "d8h4", wait_ms=777)
    pair.act(pair.white, "offerRematch")
    return _table(pair)


def _seated(rig: Rig) -> Table:
    maker, guest = rig.arrive(), rig.arrive()
    made = rig.say(maker, "createTable", colour="white")
    rig.leave(maker)
    rig.say(guest, "joinTable", code=made["view"]["code"])
    return Table(made["table"], made["view"]["code"], maker.player, guest.player)


def _waiting(rig: Rig) -> Table:
    maker = rig.arrive()
    made = rig.say(maker, "createTable", colour="white")
    return Table(made["table"], made["view"]["code"], maker.player, None)


def _away(rig: Rig) -> Table:
    pair = seat_two(rig)
    pair.play(*OPENING)
    rig.leave(pair.black)
    rig.pass_(4_000)
    return _table(pair)


def _table(pair: Pair) -> Table:
    return Table(pair.table, pair.code, pair.white.player, pair.black.player)
