"""Lets a whole process live at the test clock's instant, whatever it asks the time with.

`time-machine` replaces the C functions under `time` and `datetime`, so names that were imported
before tell the instant too. Monotonic time stays real: time-outs, sleeps and event loops go on.
"""

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Final, SupportsIndex, TypeAlias

from infra.local.timing.clock import NS_PER_MS, shared_instant

# It imports pytest where there is one, to offer itself as a plug-in: a tenth of a second.
NOT_NEEDED: Final = "pytest"
Moment: TypeAlias = tuple[int, int, int, int, int, int, int, int, int] | time.struct_time


class Resident:
    """A traveller (time-machine's word) who asks anew where he is each time he is asked."""

    def __init__(self, instant: Callable[[], int]) -> None:
        self._instant = instant

    def time_ns(self) -> int:
        """Return the instant in nanoseconds; every function of time goes through here."""
        return self._instant() * NS_PER_MS


def live_at(path: Path) -> None:
    """From now on this process and its forks tell the instant that the clock at `path` stands at.

    The clock is read at each call: who moves it moves everybody.
    """
    machine = _time_machine()
    machine.travel(0, tick=False).start()
    machine.traveller_stack[-1] = Resident(shared_instant(path))
    _tell_texts()


def _time_machine() -> ModuleType:
    is_hidden = NOT_NEEDED not in sys.modules
    if is_hidden:
        sys.modules[NOT_NEEDED] = None  # type: ignore[assignment]  # an import of it fails
    try:
        return importlib.import_module("time_machine")
    finally:
        if is_hidden:
            del sys.modules[NOT_NEEDED]


def _tell_texts() -> None:
    # The two that time-machine leaves alone: they are texts of the local time.
    ctime, asctime = time.ctime, time.asctime

    def told_ctime(seconds: float | SupportsIndex | None = None, /) -> str:
        return ctime(time.time() if seconds is None else seconds)

    def told_asctime(given: Moment | None = None, /) -> str:
        return asctime(time.localtime() if given is None else given)

    time.ctime, time.asctime = told_ctime, told_asctime
