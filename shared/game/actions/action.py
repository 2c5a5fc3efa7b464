"""What every in-game action has in common: its shape on the wire and what it is judged with."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import msgspec

from shared.game.events import Change
from shared.game.ids import ConnectionId, PlayerId
from shared.game.side import Side
from shared.game.table import Policy, Status, Table

ActionId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{16}$", max_length=16)]
"""96 random bits in URL-safe base64: new for each intention, the same for its re-sends."""
TableName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{16}$", max_length=16)]
GameNumber = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
PlyNumber = Annotated[int, msgspec.Meta(ge=0, le=20_000)]
Version = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks, from which socket, when it was received, and when it is decided (epoch ms)."""

    player_id: PlayerId
    connection_id: ConnectionId
    digest: bytes
    """The hash of the action's id."""
    received_at: int
    now: int
    policy: Policy


class GameAction(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="action",
    rename="camel",
):
    """Base of the in-game actions; `game` counts from 1, `ply` is the half-moves played before."""

    allowed_in: ClassVar[frozenset[Status]] = frozenset({Status.LIVE})
    """The stages of a table at which the action makes sense."""
    is_timed: ClassVar[bool] = True
    """Whether a side whose flag has fallen is too late for it."""
    needs_current_ply: ClassVar[bool] = False
    """Whether it was meant for exactly this position, or only for this game."""

    id: ActionId
    table: TableName
    game: GameNumber
    ply: PlyNumber

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:
        """What happens when `side` does this. Raises the refusals its rule names."""
        raise NotImplementedError
