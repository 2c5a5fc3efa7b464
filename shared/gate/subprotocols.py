"""What a client offers as WebSocket sub-protocols: our own, and behind it perhaps its token.

Browsers can set no header on a handshake but this one, and a URL would end up in logs.
"""

from dataclasses import dataclass

SUBPROTOCOL = "tabiya.v1"
"""What the handshake answers; browsers refuse one that answers none of what they offered."""
_WITH_TOKEN = 2


@dataclass(frozen=True, slots=True)
class Offered:
    """An offer of our sub-protocol, with the token that came along, unchecked."""

    token: str | None = None


def read_subprotocols(header: str | None) -> Offered | None:
    """What a `Sec-WebSocket-Protocol` header offers; None if it is not ours."""
    values = [value.strip() for value in (header or "").split(",")]
    if values[0] != SUBPROTOCOL or len(values) > _WITH_TOKEN:
        return None
    return Offered(values[1] if len(values) == _WITH_TOKEN else None)
