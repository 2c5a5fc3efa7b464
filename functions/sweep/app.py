"""Every minute: the tables whose timer was lost."""

from collections.abc import Mapping
from typing import Any

from shared.runtime.telemetry import log
from shared.runtime.wiring import world
from shared.service.wake import sweep


def handler(_event: Mapping[str, Any], _context: object) -> None:
    """What lost timers left behind is settled."""
    log("sweep", tables=sweep(world()))
