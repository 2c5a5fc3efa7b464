"""One clock and everything that is going to happen, in the order of its instants."""

from collections.abc import Callable
from heapq import heappop, heappush


class Entry:
    """Something that will happen, unless it is called off."""

    __slots__ = ("run",)

    def __init__(self, run: Callable[[], object]) -> None:
        self.run: Callable[[], object] | None = run

    def cancel(self) -> None:
        """It will not happen."""
        self.run = None


class Agenda:
    """The clock (epoch ms) jumps from one entry to the next."""

    def __init__(self, now: int) -> None:
        self.now = now
        self._entries: list[tuple[int, int, Entry]] = []
        self._order = 0

    def at(self, instant: int, run: Callable[[], object]) -> Entry:
        """`run` at that instant, or now where that has passed."""
        self._order += 1
        entry = Entry(run)
        heappush(self._entries, (max(instant, self.now), self._order, entry))
        return entry

    def after(self, ms: int, run: Callable[[], object]) -> Entry:
        """`run` in so many milliseconds."""
        return self.at(self.now + ms, run)

    def run_until(self, instant: int) -> None:
        """Everything up to that instant, which it then is."""
        entries = self._entries
        while entries and entries[0][0] <= instant:
            at, _, entry = heappop(entries)
            if entry.run is not None:
                self.now = at
                entry.run()
        self.now = max(self.now, instant)
