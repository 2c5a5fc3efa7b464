"""What a message makes of the view a client holds, as docs/protocol tells client developers.

As `web/client/head.js`, and besides, whatever tells of a later `v` shows that something is missing.
"""

from enum import Enum, auto
from typing import Any, Final

Said = dict[str, Any]
View = dict[str, Any]

SEATING: Final = {"hello", "createTable", "joinTable"}
"""Answers to these bring the player to another table."""


class Verdict(Enum):
    """What became of a message."""

    TAKEN = auto()
    STALE = auto()
    GAP = auto()
    FOREIGN = auto()


def follow(
    view: View | None, message: Said, answered: str | None = None
) -> tuple[Verdict, View | None]:
    """The verdict, and the view that is held from now on."""
    shown = message.get("view")
    if shown is not None:
        return _follow_view(view, shown, answered)
    if view is None or view["table"] != message.get("table"):
        return Verdict.FOREIGN, view
    if message["event"] != "moved":
        return (Verdict.GAP if message.get("v", 0) > view["v"] else Verdict.STALE), view
    if message["v"] <= view["v"]:
        return Verdict.STALE, view
    is_next = message["v"] == view["v"] + 1 and message["game"] == view["game"]
    if not is_next or message["ply"] != view["ply"]:
        return Verdict.GAP, view
    return Verdict.TAKEN, _after_move(view, message)


def _follow_view(view: View | None, shown: View, answered: str | None) -> tuple[Verdict, View]:
    if view is None:
        return Verdict.TAKEN, shown
    if view["table"] != shown["table"]:
        is_mine = answered in SEATING or (view["status"] == "over" and shown["status"] != "over")
        return (Verdict.TAKEN, shown) if is_mine else (Verdict.FOREIGN, view)
    is_older = shown["v"] < view["v"] or (shown["v"] == view["v"] and shown["now"] < view["now"])
    return (Verdict.STALE, view) if is_older else (Verdict.TAKEN, shown)


def _after_move(view: View, message: Said) -> View:
    """Fields that are absent from a message are null, empty or false: none is inherited."""
    after = {
        **view,
        "v": message["v"],
        "ply": message["ply"] + 1,
        "fen": message["fen"],
        "check": message.get("check", False),
        "legal": message.get("legal", []),
        "moves": [*view.get("moves", []), message["uci"]],
        "clock": message["clock"],
        "drawOffer": message.get("drawOffer"),
        "outcome": message.get("outcome"),
        "now": message["now"],
    }
    if message.get("outcome"):
        after["status"] = "over"
        after["seats"] = {side: {"taken": True} for side in ("white", "black")}
    return after
