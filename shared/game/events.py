"""What can happen at a table that somebody sees, and the change that one decision makes."""

from dataclasses import dataclass
from enum import StrEnum

from shared.game.ids import ConnectionId, San, Uci
from shared.game.side import Side
from shared.game.table import Table


class Happened(StrEnum):
    """The names of the visible events, as clients know them."""

    CREATED = "created"
    SEATED = "seated"
    BEGAN = "began"
    MOVED = "moved"
    DRAW_OFFERED = "drawOffered"
    DRAW_DECLINED = "drawDeclined"
    REMATCH_OFFERED = "rematchOffered"
    REMATCH_DECLINED = "rematchDeclined"
    REMATCHED = "rematched"
    AWAY = "away"
    BACK = "back"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Event:
    """One visible event; `by` is the side that caused it or that it is about."""

    name: Happened
    by: Side | None = None
    uci: Uci | None = None
    san: San | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A table after a decision, what is seen of it, and which sockets to deal with.

    Without an event nothing visible changed and `v` is the same. `evicted` sockets are told
    `replaced` and closed; `probed` ones are sent a `probe`.
    """

    table: Table
    event: Event | None = None
    evicted: tuple[ConnectionId, ...] = ()
    probed: tuple[ConnectionId, ...] = ()


@dataclass(frozen=True, slots=True)
class Repeat:
    """An action that was carried out before, and the `v` it led to."""

    v: int
