"""In which order the messages of one connection are handled: AWS leaves it open (fact A5).

Side by side as they come; or one after the other; or shuffled: what comes in within a moment is
begun in another order than it was sent, each a little after the one before has been handled.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final
from weakref import WeakValueDictionary

from infra.local.faults import Chance

Work = Coroutine[Any, Any, None]
# Real time: how long one message is held so that others may overtake it.
MOMENT_S: Final = 0.05
# No message waits longer than this for the one before it: then they run side by side.
PATIENCE_S: Final = 0.25


class Turns:
    """Gives each message of a connection its turn."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._held: dict[str, list[Work]] = {}

    def in_turn(self, connection_id: str, work: Work) -> Work:
        """Return the work in its turn."""
        match self._chance.faults.messages:
            case "concurrent":
                return work
            case "serial":
                return self._one_by_one(connection_id, work)
            case "shuffled":
                return self._shuffled(connection_id, work)

    async def _one_by_one(self, connection_id: str, work: Work) -> None:
        async with self._locks.setdefault(connection_id, asyncio.Lock()):
            await work

    async def _shuffled(self, connection_id: str, work: Work) -> None:
        held = self._held.setdefault(connection_id, [])
        held.append(work)
        if held[0] is not work:
            return  # whoever came first sees to it
        await asyncio.sleep(MOMENT_S)
        del self._held[connection_id]
        begun = []
        for one in self._chance.order("messages", held):
            task = asyncio.ensure_future(one)
            begun.append(task)
            await asyncio.wait([task], timeout=PATIENCE_S)
        await asyncio.gather(*begun)
