"""Schedule expressions, `rate(...)`, `cron(...)` and `at(...)`: the instants at which they are due.

Knows zones and their clock changes; what is done at an instant is for `schedule` to know. Instants
are epoch milliseconds.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Final, Protocol

from infra.local.sources.cron import Cron, CronError, parse_cron

RATE: Final = re.compile(r"rate\((\d+) +(minute|hour|day)(s?)\)")
CRON: Final = re.compile(r"cron\((.*)\)")
AT: Final = re.compile(r"at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)")
UNIT_MS: Final = {"minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
MS: Final = 1000


class ExpressionError(ValueError):
    """The expression means nothing; says why in one line."""


class Timing(Protocol):
    """Knows when something is due."""

    def next_after(self, instant: int) -> int | None:
        """Return the first instant after `instant`, None if there is none."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Every `period_ms` from `first` on, or from wherever one starts to ask."""

    period_ms: int
    first: int | None = None

    def next_after(self, instant: int) -> int:
        """Return the next instant; a day is 24 hours, whatever the clocks on the wall do."""
        if self.first is None:
            return instant + self.period_ms
        if instant < self.first:
            return self.first
        periods = (instant - self.first) // self.period_ms + 1
        return self.first + periods * self.period_ms


@dataclass(frozen=True, slots=True)
class Recurring:
    """The minutes of a cron expression, read off the clocks on the wall of a zone."""

    cron: Cron
    zone: tzinfo = UTC

    def next_after(self, instant: int) -> int | None:
        """Return the next instant.

        A time that the clocks skip is skipped, one that they show twice is meant the first time
        (EventBridge Scheduler user guide, "Daylight savings time").
        """
        wall = datetime.fromtimestamp(instant // MS, self.zone).replace(tzinfo=None)
        while (found := self.cron.next_after(wall)) is not None:
            meant = instant_of(found, self.zone)
            if meant > instant and self._shows(found, meant):
                return meant
            wall = found
        return None

    def _shows(self, wall: datetime, instant: int) -> bool:
        return datetime.fromtimestamp(instant // MS, self.zone).replace(tzinfo=None) == wall


@dataclass(frozen=True, slots=True)
class Once:
    """One instant."""

    instant: int

    def next_after(self, instant: int) -> int | None:
        """Return the instant unless it is past."""
        return self.instant if self.instant > instant else None


@dataclass(frozen=True, slots=True)
class Between:
    """A recurring timing from `start` to `end`, both included; None is no bound."""

    timing: Rate | Recurring
    start: int | None
    end: int | None

    def next_after(self, instant: int) -> int | None:
        """Return the next instant within the bounds."""
        from_ = instant if self.start is None else max(instant, self.start - 1)
        due = self.timing.next_after(from_)
        return None if due is None or (self.end is not None and due > self.end) else due


def bounded(timing: Rate | Recurring, start: int | None, end: int | None) -> Timing:
    """Return the timing between two instants; a rate counts from `start` on."""
    if isinstance(timing, Rate) and start is not None:
        timing = replace(timing, first=start)
    return timing if start is None and end is None else Between(timing, start, end)


def parse(expression: str, zone: tzinfo = UTC) -> Rate | Recurring | Once:
    """Return what an expression means; raises ExpressionError.

    Source: EventBridge user guide, "Setting a schedule pattern"; EventBridge Scheduler user guide,
    "Schedule types".
    """
    expression = expression.strip()
    if (match := RATE.fullmatch(expression)) is not None:
        return _rate(expression, match)
    if (match := CRON.fullmatch(expression)) is not None:
        try:
            return Recurring(parse_cron(match.group(1)), zone)
        except CronError as error:
            raise ExpressionError(f"{expression}: {error}") from None
    if (match := AT.fullmatch(expression)) is not None:
        try:
            wall = datetime.fromisoformat(match.group(1))
        except ValueError:
            raise ExpressionError(f"{expression} names no date and time") from None
        return Once(instant_of(wall, zone))
    raise ExpressionError(
        f"{expression} is none of rate(5 minutes), cron(0 12 * * ? *), at(2030-12-31T12:00:00)"
    )


def instant_of(wall: datetime, zone: tzinfo) -> int:
    """Return when the clocks of `zone` show `wall`: the first time if they do so twice.

    What they skip is read as if they had not been changed yet.
    """
    return int(wall.replace(tzinfo=zone, fold=0).timestamp()) * MS


def is_rightly_plural(expression: str) -> bool:
    """Say whether a rate says `1 minute` and `2 minutes`, as EventBridge rules insist on."""
    match = RATE.fullmatch(expression.strip())
    return match is None or (int(match.group(1)) == 1) == (match.group(3) == "")


def _rate(expression: str, match: re.Match[str]) -> Rate:
    value = int(match.group(1))
    if value == 0:
        raise ExpressionError(f"{expression}: the value of a rate is positive")
    return Rate(value * UNIT_MS[match.group(2)])
