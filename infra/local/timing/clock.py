"""What time it is: the system's time, or a test clock that stands still until it is advanced.

The test clock lives in a small mapped file, so that worker processes read the same instant. It is
kept with the state: a restart never goes back in time.
"""

import mmap
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

INSTANT: Final = struct.Struct("<q")
NS_PER_MS: Final = 1_000_000


class Clock(Protocol):
    """Tells the instant in epoch milliseconds."""

    @property
    def is_frozen(self) -> bool:
        """Whether time stands still between advances."""

    def now(self) -> int:
        """Return the instant."""


class SystemClock:
    """The time of the machine."""

    is_frozen = False

    def now(self) -> int:
        """Return the machine's instant."""
        return time.time_ns() // NS_PER_MS


class TestClock:
    """A clock that stands still; `path` is shared with the workers."""

    __test__ = False  # its name makes pytest look for tests in it
    is_frozen = True

    def __init__(self, path: Path, real_now: int) -> None:
        self._map = _mapped(path)
        self.set(max(real_now, self.now()))

    def now(self) -> int:
        """Return the instant the clock stands at."""
        return int(INSTANT.unpack_from(self._map)[0])

    def set(self, instant: int) -> None:
        """Move the hands to `instant`."""
        INSTANT.pack_into(self._map, 0, instant)


def shared_instant(path: Path) -> Callable[[], int]:
    """Return what tells the instant of the test clock at `path`, from whatever process."""
    shared = _mapped(path)
    return lambda: int(INSTANT.unpack_from(shared)[0])


def _mapped(path: Path) -> mmap.mmap:
    with path.open("a+b") as file:
        if file.seek(0, 2) < INSTANT.size:
            file.truncate(INSTANT.size)
        return mmap.mmap(file.fileno(), INSTANT.size)
