"""Cron expressions as EventBridge writes them: six fields, and the minutes that they name.

Knows wall-clock time only: zones and instants are the business of `expressions`. What EventBridge
does not document (LW, L-3, names in small letters, lists of `#`) is refused.
"""

import calendar
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Final

MONTHS: Final = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
DAYS: Final = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
PART: Final = re.compile(r"(?:\*|(\w+)(?:-(\w+))?)(?:/(\d+))?")
NEAREST_WEEKDAY: Final = re.compile(r"(\d+)W")
NTH_WEEKDAY: Final = re.compile(r"(\w+)#([1-5])")
LAST_WEEKDAY: Final = re.compile(r"(\w+)L")
ANY: Final = "?"
LAST: Final = "L"
SATURDAY: Final = 7
WEEK: Final = 7
WEEKEND: Final = frozenset({1, 7})
# A month and a year to the days that are meant in it, in order.
DayRule = Callable[[int, int], list[int]]


class CronError(ValueError):
    """The expression is not one that EventBridge takes; says why in one line."""


@dataclass(frozen=True, slots=True)
class Cron:
    """The minutes of an expression. Values are in order; `days` says which days a month has."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: DayRule
    months: tuple[int, ...]
    years: tuple[int, ...]

    def next_after(self, moment: datetime) -> datetime | None:
        """Return the first minute that is named after the one `moment` is in, None if none is."""
        start = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
        for day in self._dates(start.date()):
            earliest = start.time() if day == start.date() else time.min
            found = self._time_from(earliest)
            if found is not None:
                return datetime.combine(day, found)
        return None

    def _dates(self, first: date) -> Iterator[date]:
        for year in self.years:
            for month in self.months:
                if (year, month) >= (first.year, first.month):
                    days = (date(year, month, day) for day in self.days(year, month))
                    yield from (day for day in days if day >= first)

    def _time_from(self, earliest: time) -> time | None:
        for hour in self.hours:
            if hour >= earliest.hour:
                for minute in self.minutes:
                    if (hour, minute) >= (earliest.hour, earliest.minute):
                        return time(hour, minute)
        return None


@dataclass(frozen=True, slots=True)
class _Field:
    """What one field may hold; `words` are names for its values from `low` on."""

    name: str
    low: int
    high: int
    words: tuple[str, ...] = ()
    wraps: bool = True
    steps: bool = True

    def value(self, text: str) -> int:
        if text in self.words:
            return self.low + self.words.index(text)
        if not text.isdecimal() or not self.low <= int(text) <= self.high:
            raise CronError(f"{self.name} is {self.low}-{self.high}, not {text}")
        return int(text)

    def values(self, text: str) -> tuple[int, ...]:
        """Return the values of a list of values, ranges and steps, in order."""
        return tuple(sorted({value for part in text.split(",") for value in self._span(part)}))

    def _span(self, part: str) -> list[int]:
        match = PART.fullmatch(part)
        if match is None:
            raise CronError(f"{self.name} cannot be {part or 'empty'}")
        first, last, step = match.groups()
        if step is not None and not (self.steps and int(step)):
            raise CronError(f"{self.name} cannot have the step {part}")
        low = self.low if first is None else self.value(first)
        is_single = first is not None and last is None and step is None
        high = low if is_single else self.high if last is None else self.value(last)
        return self._range(part, low, high)[:: int(step or 1)]

    def _range(self, part: str, low: int, high: int) -> list[int]:
        if low <= high:
            return list(range(low, high + 1))
        if not self.wraps:
            raise CronError(f"{self.name} {part} ends before it begins")
        return [*range(low, self.high + 1), *range(self.low, high + 1)]


MINUTES: Final = _Field("minutes", 0, 59)
HOURS: Final = _Field("hours", 0, 23)
DAY_OF_MONTH: Final = _Field("day-of-month", 1, 31)
MONTH: Final = _Field("month", 1, 12, tuple(MONTHS))
DAY_OF_WEEK: Final = _Field("day-of-week", 1, 7, tuple(DAYS), steps=False)
YEAR: Final = _Field("year", 1970, 2199, wraps=False)
FIELDS: Final = (MINUTES, HOURS, DAY_OF_MONTH, MONTH, DAY_OF_WEEK, YEAR)


def parse_cron(fields: str) -> Cron:
    """Return what the six fields mean; raises CronError.

    Source: EventBridge user guide, "Cron expressions reference".
    """
    texts = fields.split()
    if len(texts) != len(FIELDS):
        raise CronError(f"cron has six fields ({', '.join(one.name for one in FIELDS)})")
    minutes, hours, of_month, month, of_week, year = texts
    if (of_month == ANY) == (of_week == ANY):
        raise CronError("one of day-of-month and day-of-week, and only one, must be ?")
    return Cron(
        minutes=MINUTES.values(minutes),
        hours=HOURS.values(hours),
        days=_days_of_week(of_week) if of_month == ANY else _days_of_month(of_month),
        months=MONTH.values(month),
        years=YEAR.values(year),
    )


def _days_of_month(text: str) -> DayRule:
    if text == LAST:
        return lambda year, month: [_length(year, month)]
    nearest = NEAREST_WEEKDAY.fullmatch(text)
    if nearest is not None:
        return partial(_nearest_weekday, DAY_OF_MONTH.value(nearest.group(1)))
    wanted = DAY_OF_MONTH.values(text)
    return lambda year, month: [day for day in wanted if day <= _length(year, month)]


def _days_of_week(text: str) -> DayRule:
    nth = NTH_WEEKDAY.fullmatch(text)
    if nth is not None:
        return partial(_nth_weekday, DAY_OF_WEEK.value(nth.group(1)), int(nth.group(2)))
    last = LAST_WEEKDAY.fullmatch(text)
    if last is not None:
        return partial(_last_weekday, DAY_OF_WEEK.value(last.group(1)))
    wanted = (SATURDAY,) if text == LAST else DAY_OF_WEEK.values(text)
    return lambda year, month: [
        day for day in range(1, _length(year, month) + 1) if _weekday(year, month, day) in wanted
    ]


def _nearest_weekday(wanted: int, year: int, month: int) -> list[int]:
    if wanted > _length(year, month):
        return []
    # Within the month, as everywhere where W exists: the 1st on a Saturday means Monday the 3rd.
    nearby = (wanted + by for by in (0, -1, 1, -2, 2))
    inside = (day for day in nearby if 1 <= day <= _length(year, month))
    return [next(day for day in inside if _weekday(year, month, day) not in WEEKEND)]


def _nth_weekday(weekday: int, nth: int, year: int, month: int) -> list[int]:
    first = 1 + (weekday - _weekday(year, month, 1)) % WEEK
    day = first + (nth - 1) * WEEK
    return [day] if day <= _length(year, month) else []


def _last_weekday(weekday: int, year: int, month: int) -> list[int]:
    length = _length(year, month)
    return [length - (_weekday(year, month, length) - weekday) % WEEK]


def _weekday(year: int, month: int, day: int) -> int:
    """Return 1 for Sunday to 7 for Saturday, as EventBridge counts."""
    return date(year, month, day).isoweekday() % WEEK + 1


def _length(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1]
