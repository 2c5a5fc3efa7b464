"""What a use case works with: its ports, the operator's policy, the time and chance."""

from collections.abc import Callable
from dataclasses import dataclass

from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.game.table import Policy
from shared.service.ports import (
    Codes,
    ConnectionKey,
    Connections,
    Limits,
    Players,
    Posts,
    Tables,
    Timers,
    Tokens,
    Versions,
)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: identity comes from the connection only, never from a message."""

    player_id: PlayerId
    connection_id: ConnectionId
    version: str
    platform: str
    language: str
    source: str
    """The address the connection came from."""
    received_at: int
    """When API Gateway received the message (epoch ms)."""
    re: str | None
    """The id of the message that is answered."""

    @property
    def key(self) -> ConnectionKey:
        """The key of the connection's row."""
        return ConnectionKey(self.player_id, self.connection_id)


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside that the use cases touch."""

    tables: Tables
    codes: Codes
    players: Players
    connections: Connections
    limits: Limits
    versions: Versions
    timers: Timers
    posts: Posts
    tokens: Tokens
    policy: Policy
    now: Callable[[], int]
    """The system clock in epoch ms, read anew for each attempt."""
    random: Callable[[int], bytes]
    may_heal: Callable[[TableId, int], bool]
    """Whether a table may be shown to everybody again at `now`: at most once a second."""
    pause: Callable[[int], None]
    """Waits a little, at random, before the given attempt (1, 2, ...)."""
