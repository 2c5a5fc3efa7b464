"""Timer messages: what has fallen due at the tables they name."""

from collections.abc import Mapping
from typing import Any

from shared.runtime.timers import wake_all


def handler(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
    """The messages that have to come again."""
    return wake_all(event["Records"])
