"""Gather and decide again when somebody else wrote first: five attempts, then `busy`."""

from collections.abc import Callable
from typing import TypeVar

from shared.protocol.errors import Busy
from shared.service.ports import Conflict
from shared.service.world import World

ATTEMPTS = 5

Result = TypeVar("Result")


def retrying(world: World, attempt: Callable[[], Result]) -> Result:
    """What `attempt` returns; it is run again after a Conflict. Raises Busy after the last."""
    for number in range(1, ATTEMPTS + 1):
        try:
            return attempt()
        except Conflict:
            if number < ATTEMPTS:
                world.pause(number)
    raise Busy
