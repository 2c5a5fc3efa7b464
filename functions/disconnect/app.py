"""$disconnect: the connection leaves its seat."""

from collections.abc import Mapping
from typing import Any

from shared.runtime.caller import read_caller
from shared.runtime.wiring import world
from shared.service.connect import disconnect


def handler(event: Mapping[str, Any], _context: object) -> dict[str, int]:
    """A tombstone in place of the connection's row."""
    caller = read_caller(event, None)
    disconnect(world(), caller.key, caller.received_at)
    return {"statusCode": 200}
