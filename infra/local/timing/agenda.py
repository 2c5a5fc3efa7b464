"""Things due at an instant: queue messages, schedule ticks, idle limits, in order of time.

On the system's clock they run when their instant comes; on a test clock when it is advanced, one
after the other, each waited for until nothing is in flight.
"""

import asyncio
import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from infra.local.timing.clock import Clock, TestClock
from infra.local.timing.quiet import Quiet

LONGEST_NAP_S: Final = 5.0


@dataclass(order=True, slots=True)
class Entry:
    """One thing to do; `due` in epoch milliseconds."""

    due: int
    number: int
    action: Callable[[], None] = field(compare=False)
    is_cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        """The thing will not be done."""
        self.is_cancelled = True


class Agenda:
    """What is due when."""

    def __init__(self, clock: Clock, quiet: Quiet) -> None:
        self.clock = clock
        self._quiet = quiet
        self._entries: list[Entry] = []
        self._numbers = count()
        self._nap: asyncio.TimerHandle | None = None
        self._is_waking = False
        self._advancing = asyncio.Lock()

    def at(self, due: int, action: Callable[[], None]) -> Entry:
        """Do `action` at the instant `due`, at once when that is past."""
        entry = Entry(due, next(self._numbers), action)
        heapq.heappush(self._entries, entry)
        if self._entries[0] is entry:
            self._wake()
        return entry

    def next_due(self) -> int | None:
        """Return the earliest instant at which something is due."""
        while self._entries and self._entries[0].is_cancelled:
            heapq.heappop(self._entries)
        return self._entries[0].due if self._entries else None

    async def advance(self, clock: TestClock, span_ms: int, grace_s: float = 0.0) -> int:
        """Let `span_ms` pass, from one due thing to the next; return the instant reached."""
        async with self._advancing:
            target = clock.now() + span_ms
            await self._quiet.settle(grace_s)
            while (due := self.next_due()) is not None and due <= target:
                clock.set(max(due, clock.now()))
                heapq.heappop(self._entries).action()
                await self._quiet.settle(grace_s)
            clock.set(target)
        return target

    def stop(self) -> None:
        """Nothing is done any more."""
        self._entries.clear()
        if self._nap is not None:
            self._nap.cancel()

    def _wake(self) -> None:
        if self._nap is not None:
            self._nap.cancel()
            self._nap = None
        due = self.next_due()
        if due is None or self._is_waking:
            return
        wait_ms = due - self.clock.now()
        loop = asyncio.get_running_loop()
        if wait_ms <= 0:
            self._is_waking = True
            self._quiet.enter()
            loop.call_soon(self._run_due)
        elif not self.clock.is_frozen:
            # Never one long nap: a machine that slept through it would wake late.
            self._nap = loop.call_later(min(wait_ms / 1000, LONGEST_NAP_S), self._wake)

    def _run_due(self) -> None:
        self._is_waking = False
        try:
            while (due := self.next_due()) is not None and due <= self.clock.now():
                heapq.heappop(self._entries).action()
        finally:
            self._quiet.leave()
            self._wake()
