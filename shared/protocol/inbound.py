"""Everything a client may say that is not an in-game action: those are `shared.game.actions`.

An `id` is 96 random bits, new for each intention and the same for its re-sends.
"""

from typing import Annotated, Literal

import msgspec

from shared.game.actions.action import ActionId, TableName, Version
from shared.game.clock import TimeControl

Code = Annotated[str, msgspec.Meta(max_length=256)]
"""Six letters, or a link that ends in ``#`` and them; case, spaces and hyphens are forgiven."""


class _Said(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="action",
    rename="camel",
):
    """Base: every message has an action and an id."""

    id: ActionId


class SayHello(_Said, frozen=True, kw_only=True, tag="hello"):
    """First word on a connection; answered with identity, token and the table one sits at."""


class Sync(_Said, frozen=True, kw_only=True, tag="sync"):
    """Where does my table stand? Answered `unchanged` when `v` is the head, else with a view."""

    table: TableName
    v: Version = 0


class Ping(_Said, frozen=True, kw_only=True, tag="ping"):
    """Keeps the socket from idling; answered `pong`."""


class CreateTable(_Said, frozen=True, kw_only=True, tag="createTable"):
    """A private table, its maker seated. No time control: 15 minutes in all, 60 s a move."""

    ruleset: Annotated[str, msgspec.Meta(max_length=16)] = "standard"
    time_control: TimeControl = TimeControl()
    colour: Literal["white", "black", "random"] = "random"


class JoinTable(_Said, frozen=True, kw_only=True, tag="joinTable"):
    """Sit down at the table with this code, or this link."""

    code: Code


SAYINGS: dict[str, type[_Said]] = {
    str(said.__struct_config__.tag): said for said in (SayHello, Sync, Ping, CreateTable, JoinTable)
}
Saying = SayHello | Sync | Ping | CreateTable | JoinTable
