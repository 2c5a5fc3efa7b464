"""Runs schedules: at each instant of its timing a schedule hands its targets their event.

Knows the agenda and flexible windows; which schedules there are, `rules` and `scheduler` read from
the template. What was due while the system was stopped, or while
the machine slept, is not made up for.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from infra.local.logs import report
from infra.local.sources.deliveries import Tools
from infra.local.sources.expressions import Timing


@dataclass(frozen=True, slots=True)
class Target:
    """Who is handed what: `text` makes the event's JSON from the instant that was scheduled."""

    deliver: Callable[[str], None]
    text: Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A rule or a schedule. A run comes anywhere within `window_ms` after its instant."""

    logical_id: str
    arn: str
    timing: Timing
    targets: tuple[Target, ...]
    window_ms: int = 0


class Ticks:
    """Runs one schedule."""

    def __init__(self, schedule: Schedule, tools: Tools) -> None:
        self._schedule = schedule
        self._agenda = tools.agenda

    def start(self) -> None:
        """The first run is the first one due from now on: with a rate, one period from now."""
        if not self._plan(self._agenda.clock.now()):
            report(f"{self._schedule.logical_id}: nothing is due any more, it never runs")

    def _plan(self, after: int) -> bool:
        timing, now = self._schedule.timing, self._agenda.clock.now()
        due = timing.next_after(after)
        if due is not None and due < now:
            due = timing.next_after(now)
        if due is None:
            return False
        self._agenda.at(due, partial(self._tick, due))
        return True

    def _tick(self, due: int) -> None:
        self._plan(due)
        later = within_window(self._schedule, due)
        if later == 0:
            self._run(due)
        else:
            self._agenda.at(due + later, partial(self._run, due))

    def _run(self, due: int) -> None:
        for target in self._schedule.targets:
            target.deliver(target.text(due))


def within_window(schedule: Schedule, due: int) -> int:
    """Return how far into its window a run comes: whole seconds, the same for the same instant."""
    seconds = schedule.window_ms // 1000
    if seconds == 0:
        return 0
    drawn = hashlib.sha256(f"{schedule.arn}@{due}".encode()).digest()
    return int.from_bytes(drawn[:8]) % seconds * 1000
