"""What each function asks of its ports, in every situation tried here, its policies allow."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aws_lambda_powertools import Metrics

from shared.game.ids import ConnectionId
from shared.protocol.inbound import CreateTable
from shared.runtime import entry, telemetry
from shared.service.create import create
from shared.service.ports import Minimum, TableWrite
from tests.contract.test_permissions import MAY
from tests.support.handlers import load
from tests.support.recorded_events import From, saying
from tests.support.seats import A1, ANNA, B1, BEN, Seats
from tests.unit.protocol.messages import valid

READS = {
    ("tables", "get"): ("Tables", "GetItem"),
    ("tables", "meta"): ("Tables", "GetItem"),
    ("codes", "get"): ("Codes", "GetItem"),
    ("players", "get"): ("Players", "GetItem"),
    ("limits", "count"): ("Limits", "GetItem"),
    ("limits", "add"): ("Limits", "UpdateItem"),
    ("connections", "close"): ("Connections", "UpdateItem"),
    ("versions", "newer_needed"): ("Settings", "GetItem"),
    ("tokens", "sign"): ("Settings", "PutItem"),
    ("timers", "send"): ("TimerQueue", "SendMessage"),
    ("posts", "post"): ("WebSocketApi", "ManageConnections"),
    ("posts", "close"): ("WebSocketApi", "ManageConnections"),
}
CREATING = {
    ("Tables", "UpdateItem"),
    ("Tables", "PutItem"),
    ("Codes", "PutItem"),
    ("Players", "UpdateItem"),
    ("Connections", "UpdateItem"),
}
FUNCTIONS = {
    "hello": "sync",
    "sync": "sync",
    "ping": "sync",
    "createTable": "lobby",
    "leaveTable": "lobby",
    "joinTable": "join",
    "move": "move",
}
ACTIONS = [
    *FUNCTIONS,
    "resign",
    "abort",
    "offerDraw",
    "acceptDraw",
    "declineDraw",
    "claimFlag",
    "offerRematch",
    "acceptRematch",
    "declineRematch",
]


def written(write: TableWrite) -> Iterator[tuple[str, str]]:
    """Yield what one write of a table asks of DynamoDB."""
    yield "Tables", "UpdateItem"
    if write.claims or write.releases:
        yield "Players", "UpdateItem"
    if write.attaches:
        yield "Connections", "UpdateItem"
    if write.finished:
        yield "Games", "PutItem"
    if write.takes_code:
        yield "Codes", "UpdateItem"


@dataclass
class Watched:
    """A port that notes what is asked of it."""

    port: object
    name: str
    asked: set[tuple[str, str]] = field(default_factory=set)

    def __getattr__(self, method: str) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever the port takes
            if (self.name, method) == ("tables", "write"):
                self.asked |= set(written(given[0]))
            elif (self.name, method) == ("tables", "create"):
                self.asked |= CREATING
            else:
                self.asked.add(READS[self.name, method])
            return getattr(self.port, method)(*given, **named)

        return call


def over() -> Seats:
    seats = Seats()
    seats.play("f2f3", "e7e5", "g2g4", "d8h4")
    seats.act(BEN, "offerRematch")
    return seats


def drawing() -> Seats:
    seats = Seats()
    seats.play("e2e4", "e7e5")
    seats.act(BEN, "offerDraw")
    return seats


def elsewhere() -> Seats:
    """Over, and Anna waits at another table."""
    seats = over()
    seats.ask(create, ANNA, A1, CreateTable(id="createcreatecr-1", colour="white"))
    return seats


def flagged() -> Seats:
    seats = drawing()
    seats.memory.now += 70_000
    return seats


@pytest.mark.parametrize("fate", ["alive", "new", "other is gone", "outdated"])
@pytest.mark.parametrize("stage", [over, drawing, elsewhere, flagged])
@pytest.mark.parametrize("action", ACTIONS)
def test_nothing_is_asked_that_is_not_allowed(
    action: str, stage: Callable[[], Seats], fate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats, asked = stage(), set[tuple[str, str]]()
    connection = "A7=" if fate == "new" else A1
    seats.memory.connect(ANNA, "A7=")
    if fate == "other is gone":
        seats.memory.dead.add(ConnectionId(B1))
    if fate == "outdated":
        seats.memory.minimums["web"] = Minimum("9")
    names = {port for port, _ in READS}
    world = replace(
        seats.world,
        **{name: Watched(getattr(seats.world, name), name, asked) for name in names},  # type: ignore[arg-type]
    )
    monkeypatch.setattr(entry, "world", lambda: world)
    monkeypatch.setattr(telemetry, "_metrics", Metrics(namespace="Tabiya"))
    here = {"table": seats.table_id, "game": 1, "ply": seats.table.ply, "code": seats.code}
    said = valid(action)
    said |= {name: value for name, value in here.items() if name in said}
    if action.endswith(("Draw", "Rematch")) and "v" in said:
        said["v"] = seats.table.v
    function = FUNCTIONS.get(action, "act")
    load(function).handler(saying(From(ANNA, connection), said, seats.memory.now), object())
    may = MAY[function.capitalize()]
    assert asked
    assert [one for one in asked if one[1] not in may.get(one[0], set())] == []
