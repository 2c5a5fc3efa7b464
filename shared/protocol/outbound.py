"""Everything the server says, as shapes: JSON text of these, nothing else.

Instants are epoch milliseconds of the server (`now` tells a client the server's time), spans
milliseconds. A field that is absent is null or not applicable.
"""

import msgspec

from shared.game.clock import TimeControl


class _Shape(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """Base: camelCase on the wire, defaults left out."""


class ClockView(_Shape, frozen=True, kw_only=True):
    """What is left to each side at `turn_at` (null: no limit in all); when the flag falls."""

    white: int | None = None
    black: int | None = None
    turn_at: int
    flag_at: int | None = None
    runs: str | None = None
    """The side whose clock runs: `white`, `black`, or absent when none does."""


class SeatView(_Shape, frozen=True, kw_only=True):
    """Whether a seat is taken, whether its player is away, and when he will be removed."""

    taken: bool
    away: bool = False
    removal_at: int | None = None


class SeatsView(_Shape, frozen=True, kw_only=True):
    """Both seats."""

    white: SeatView
    black: SeatView


class OfferView(_Shape, frozen=True, kw_only=True):
    """An open offer; answers carry its `v`."""

    by: str
    v: int


class OutcomeView(_Shape, frozen=True, kw_only=True):
    """How a game ended; no winner: a draw, or no result (`*`)."""

    termination: str
    result: str
    at: int
    winner: str | None = None


class View(_Shape, frozen=True, kw_only=True):
    """A table as one viewer may see it. `legal` only for the viewer on move."""

    table: str
    v: int
    game: int
    ruleset: str
    status: str
    time_control: TimeControl
    seats: SeatsView
    ply: int
    fen: str
    check: bool = False
    moves: tuple[str, ...] = ()
    legal: tuple[str, ...] = ()
    clock: ClockView
    you: str | None = None
    code: str | None = None
    """The code to give to the other player; only to the maker, while the table waits."""
    draw_offer: OfferView | None = None
    rematch_offer: OfferView | None = None
    outcome: OutcomeView | None = None
    now: int


class _Message(_Shape, frozen=True, kw_only=True, tag_field="event"):
    """Base of the messages. `re` is the id of the action that this answers."""

    re: str | None = None


class Hello(_Message, frozen=True, kw_only=True, tag="hello"):
    """The answer to `hello`: who you are, the token that says so again, and your table."""

    player: str
    token: str
    now: int
    view: View | None = None


class Pong(_Message, frozen=True, kw_only=True, tag="pong"):
    """The answer to `ping`."""

    now: int


class Unchanged(_Message, frozen=True, kw_only=True, tag="unchanged"):
    """The answer to a `sync` that holds the head already."""

    table: str
    v: int
    now: int


class Shown(_Message, frozen=True, kw_only=True, tag="view"):
    """The table as it stands: the answer to `sync`, and to an action that was done before."""

    table: str
    v: int
    view: View


class Happening(_Shape, frozen=True, kw_only=True):
    """Anything visible but a move, with the view after it.

    `event`: created, seated, began, drawOffered, drawDeclined, rematchOffered, rematchDeclined,
    rematched, away, back, ended.
    """

    event: str
    re: str | None = None
    table: str
    v: int
    by: str | None = None
    view: View


class Moved(_Message, frozen=True, kw_only=True, tag="moved"):
    """A move; `ply` is the half-moves played before it. `outcome` when it ended the game."""

    table: str
    v: int
    game: int
    ply: int
    by: str
    uci: str
    san: str
    fen: str
    check: bool = False
    legal: tuple[str, ...] = ()
    clock: ClockView
    draw_offer: OfferView | None = None
    outcome: OutcomeView | None = None
    now: int


class Probe(_Message, frozen=True, kw_only=True, tag="probe"):
    """Still there? Answer at once with `sync`."""

    table: str
    v: int


class Replaced(_Message, frozen=True, kw_only=True, tag="replaced"):
    """Another device took this connection's place; it is about to be closed."""

    table: str


class Refused(_Message, frozen=True, kw_only=True, tag="refused"):
    """A refusal: a stable `code` with parameters, and words in the connection's language."""

    code: str
    notice: str
    parameters: dict[str, str | int] = {}
    table: str | None = None
    v: int | None = None
    view: View | None = None


Outbound = Hello | Pong | Unchanged | Shown | Happening | Moved | Probe | Replaced | Refused
