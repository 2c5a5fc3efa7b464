"""Who is calling, out of an API Gateway WebSocket event. Keys may be absent; never trust a body."""

from collections.abc import Mapping
from typing import Any

from shared.game.ids import ConnectionId, PlayerId
from shared.service.ports import Arrival
from shared.service.world import Caller


def read_caller(event: Mapping[str, Any], re: str | None) -> Caller:
    """The caller of a MESSAGE event; the authorizer's context is repeated on each of them."""
    context = event["requestContext"]
    identity = context["authorizer"]
    return Caller(
        player_id=PlayerId(identity["playerId"]),
        connection_id=ConnectionId(context["connectionId"]),
        version=identity.get("version", ""),
        platform=identity.get("platform", "other"),
        language=identity.get("language", "en"),
        source=context.get("identity", {}).get("sourceIp", ""),
        received_at=int(context["requestTimeEpoch"]),
        re=re,
    )


def read_arrival(event: Mapping[str, Any]) -> Arrival:
    """The connection of a CONNECT event."""
    caller = read_caller(event, None)
    return Arrival(
        key=caller.key,
        version=caller.version,
        platform=caller.platform,
        language=caller.language,
        at=caller.received_at,
    )
