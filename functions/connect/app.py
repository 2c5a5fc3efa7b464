"""$connect: a row for the connection, and the sub-protocol that was agreed."""

from collections.abc import Mapping
from typing import Any

from shared.gate.subprotocols import SUBPROTOCOL
from shared.runtime.caller import read_arrival
from shared.runtime.wiring import world
from shared.service.connect import connect


def handler(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
    """The handshake accepted."""
    connect(world(), read_arrival(event))
    if not event["requestContext"]["authorizer"].get("subprotocol"):
        return {"statusCode": 200}
    return {"statusCode": 200, "headers": {"Sec-WebSocket-Protocol": SUBPROTOCOL}}
