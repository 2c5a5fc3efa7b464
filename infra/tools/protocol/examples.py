"""One real message of every kind, made by the product's own rules from one short game.

They stand in the documents, and the contract tests prove that they are what they claim.
"""

from typing import Any

import msgspec

from shared.game.actions import ACTIONS
from shared.game.actions.action import Asked
from shared.game.actions.move import Move
from shared.game.clock import TimeControl
from shared.game.decide import decide
from shared.game.events import Change
from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.game.refusal import NotYourTurn
from shared.game.rulesets import RULESETS
from shared.game.seating import Sitter, Wishes, make_table, sit_down
from shared.game.side import Side
from shared.game.table import Policy
from shared.protocol.inbound import CreateTable, JoinTable, Ping, SayHello, Sync
from shared.protocol.notices import notice
from shared.protocol.outbound import (
    Happening,
    Hello,
    Moved,
    Pong,
    Probe,
    Refused,
    Replaced,
    Shown,
    Unchanged,
)
from shared.protocol.views import happening, view

NOW = 1_800_000_000_000
ID = "Zq3vR8xT1mKd_-7a"
TABLE = TableId("pL0sWn5cYb2fHj9u")
CODE = "KT4WQN"
WHITE = PlayerId("Wh1te0000Player_")
BLACK = PlayerId("Bl4ck0000Player_")
_POLICY = Policy()
_OFFER = 5
"""The `v` of an offer, in the examples that answer one."""


def said() -> dict[str, msgspec.Struct]:
    """A message of every action, by its name."""
    saying: dict[str, msgspec.Struct] = {
        "hello": SayHello(id=ID),
        "sync": Sync(id=ID, table=TABLE, v=3),
        "ping": Ping(id=ID),
        "createTable": CreateTable(id=ID, time_control=TimeControl(), colour="white"),
        "joinTable": JoinTable(id=ID, code="kt4 wqn"),
    }
    return saying | {name: _in_game(name) for name in ACTIONS}


def told() -> dict[str, msgspec.Struct]:
    """A message of every kind that the server sends, by the name of its class."""
    waiting, began, moved = _game()
    white_view = view(began.table, Side.WHITE, NOW, _POLICY)
    v = began.table.v
    return {
        "Hello": Hello(re=ID, player=WHITE, token=f"{WHITE}.{'x' * 43}", now=NOW, view=white_view),
        "Pong": Pong(re=ID, now=NOW),
        "Unchanged": Unchanged(re=ID, table=TABLE, v=v, now=NOW),
        "Shown": Shown(re=ID, table=TABLE, v=v, view=white_view),
        "Happening": _created(waiting),
        "Moved": msgspec.structs.replace(_seen(moved), re=ID),
        "Probe": Probe(table=TABLE, v=v),
        "Replaced": Replaced(table=TABLE),
        "Refused": Refused(
            re=ID,
            code=NotYourTurn.code,
            notice=notice("en", NotYourTurn.code, {}),
            table=TABLE,
            v=v,
        ),
    }


def as_json(message: msgspec.Struct) -> dict[str, Any]:
    """The message as JSON holds it."""
    fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(message))
    return fields


def _in_game(name: str) -> msgspec.Struct:
    kind = ACTIONS[name]
    fields: dict[str, Any] = {"action": name, "id": ID, "table": TABLE, "game": 1, "ply": 0}
    for field in msgspec.structs.fields(kind):
        if field.encode_name not in fields:
            fields[field.encode_name] = {"v": _OFFER, "uci": "e2e4"}[field.encode_name]
    return msgspec.convert(fields, kind)


def _game() -> tuple[Change, Change, Change]:
    """A table made, its game begun, and White's first move."""
    wishes = Wishes("standard", TimeControl(), Side.WHITE)
    white = Sitter(WHITE, ConnectionId("white="), b"1")
    waiting = make_table(TABLE, wishes, white, RULESETS["standard"].start_fen(), NOW - 60_000)
    black = Sitter(BLACK, ConnectionId("black="), b"2")
    began = sit_down(waiting.table, black, NOW - 4_000)
    asked = Asked(WHITE, ConnectionId("white="), b"3", NOW - 20, NOW, _POLICY)
    moved = decide(began.table, Move(id=ID, table=TABLE, game=1, ply=0, uci="e2e4"), asked)
    if not isinstance(moved, Change):
        raise TypeError(moved)
    return waiting, began, moved


def _created(change: Change) -> msgspec.Struct:
    """The maker's answer: with the code to give away."""
    seen = _seen(change)
    if not isinstance(seen, Happening):
        raise TypeError(seen)
    return msgspec.structs.replace(seen, re=ID, view=msgspec.structs.replace(seen.view, code=CODE))


def _seen(change: Change) -> Happening | Moved:
    if change.event is None:
        raise TypeError(change)
    return happening(change.table, change.event, Side.WHITE, NOW, _POLICY)
