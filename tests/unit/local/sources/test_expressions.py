"""When schedule expressions are due, in zones whose clocks are changed too."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from infra.local.sources.expressions import (
    ExpressionError,
    Once,
    Rate,
    Recurring,
    Timing,
    bounded,
    is_rightly_plural,
    parse,
)

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
LOS_ANGELES = ZoneInfo("America/Los_Angeles")


def at(text: str) -> int:
    """Return an instant, e.g. of `2027-03-14T10:30Z`."""
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def due(timing: Timing, after: str, count: int) -> list[str]:
    found, last = [], at(after)
    for _ in range(count):
        following = timing.next_after(last)
        if following is None:
            break
        found.append(datetime.fromtimestamp(following / 1000, ZoneInfo("UTC")))
        last = following
    return [one.strftime("%Y-%m-%dT%H:%MZ") for one in found]


def recurring(expression: str) -> Rate | Recurring:
    timing = parse(expression)
    assert not isinstance(timing, Once)
    return timing


@pytest.mark.parametrize(
    ("expression", "period"),
    [
        ("rate(1 minute)", MINUTE_MS),
        ("rate(5 minutes)", 5 * MINUTE_MS),
        ("rate(1 hour)", HOUR_MS),
        ("rate(2 days)", 48 * HOUR_MS),
    ],
)
@pytest.mark.fact("C.rate.units", "C.rate.first-of-a-rule", "C.rate.first-of-a-schedule")
def test_a_rate_is_due_a_period_after_one_begins_to_ask(expression: str, period: int) -> None:
    assert parse(expression).next_after(1234) == 1234 + period


@pytest.mark.fact("C.rate.units")
def test_a_rate_of_a_rule_is_plural_from_two_on() -> None:
    right = ["rate(1 minute)", "rate(2 hours)", "cron(0 12 * * ? *)"]
    assert [is_rightly_plural(one) for one in right] == [True, True, True]
    assert [is_rightly_plural(one) for one in ("rate(1 hours)", "rate(5 hour)")] == [False, False]


@pytest.mark.fact("C.rate.first-at-the-start-date")
def test_a_rate_counts_from_its_first_date() -> None:
    timing = bounded(recurring("rate(7 hours)"), at("2026-12-01T00:00Z"), None)
    assert due(timing, "2026-11-01T00:00Z", 2) == ["2026-12-01T00:00Z", "2026-12-01T07:00Z"]
    assert due(timing, "2026-12-02T00:00Z", 1) == ["2026-12-02T04:00Z"]
    assert due(timing, "2026-12-02T04:00Z", 1) == ["2026-12-02T11:00Z"]


@pytest.mark.fact("C.rate.day-is-24-hours")
def test_a_day_is_24_hours_where_clocks_are_changed() -> None:
    timing = parse("rate(1 day)", LOS_ANGELES)
    before = at("2027-03-14T08:00Z")  # midnight of the day that has 23 hours
    assert timing.next_after(before) == before + 24 * HOUR_MS


@pytest.mark.fact("C.scheduler.zone")
def test_cron_is_read_off_the_clocks_of_the_zone() -> None:
    timing = parse("cron(30 8 * * ? *)", ZoneInfo("America/New_York"))
    assert due(timing, "2026-10-31T00:00Z", 2) == ["2026-10-31T12:30Z", "2026-11-01T13:30Z"]


@pytest.mark.fact("C.rule.utc", "C.scheduler.zone")
def test_cron_is_in_utc_when_no_zone_is_named() -> None:
    assert due(parse("cron(30 8 * * ? *)"), "2026-10-31T00:00Z", 1) == ["2026-10-31T08:30Z"]


@pytest.mark.fact("C.scheduler.skipped")
def test_a_time_that_the_clocks_skip_is_skipped() -> None:
    timing = parse("cron(30 2 * * ? *)", LOS_ANGELES)
    assert due(timing, "2027-03-13T00:00Z", 3) == [
        "2027-03-13T10:30Z",
        "2027-03-15T09:30Z",
        "2027-03-16T09:30Z",
    ]


@pytest.mark.fact("C.scheduler.shown-twice")
def test_a_time_that_the_clocks_show_twice_comes_once_the_first_time() -> None:
    timing = parse("cron(30 1 * * ? *)", LOS_ANGELES)
    assert due(timing, "2026-11-01T00:00Z", 2) == ["2026-11-01T08:30Z", "2026-11-02T09:30Z"]
    # Asked in between, and within the hour that comes again.
    assert due(timing, "2026-11-01T08:30Z", 1) == ["2026-11-02T09:30Z"]
    assert due(timing, "2026-11-01T09:10Z", 1) == ["2026-11-02T09:30Z"]


@pytest.mark.fact("C.scheduler.dates")
def test_a_recurring_timing_keeps_within_its_dates() -> None:
    timing = bounded(
        recurring("cron(0 0 * * ? *)"), at("2026-12-01T00:00Z"), at("2026-12-02T12:00Z")
    )
    assert due(timing, "2026-01-01T00:00Z", 9) == ["2026-12-01T00:00Z", "2026-12-02T00:00Z"]


@pytest.mark.fact("C.scheduler.end-itself")
def test_what_is_due_at_the_end_itself_comes() -> None:
    timing = bounded(recurring("rate(1 day)"), at("2026-12-01T00:00Z"), at("2026-12-02T00:00Z"))
    assert due(timing, "2026-01-01T00:00Z", 9) == ["2026-12-01T00:00Z", "2026-12-02T00:00Z"]


@pytest.mark.fact("C.at.once", "C.scheduler.zone")
def test_at_comes_once_by_the_clocks_of_its_zone() -> None:
    timing = parse("at(2022-11-20T13:00:00)", LOS_ANGELES)
    assert due(timing, "2022-11-01T00:00Z", 9) == ["2022-11-20T21:00Z"]
    assert timing.next_after(at("2022-11-20T21:00Z")) is None


@pytest.mark.fact("C.at.in-the-gap")
def test_at_a_time_that_is_skipped_comes_as_if_it_were_not() -> None:
    timing = parse("at(2027-03-14T02:30:00)", LOS_ANGELES)
    assert due(timing, "2027-01-01T00:00Z", 1) == ["2027-03-14T10:30Z"]


@pytest.mark.fact("C.schedules.precision")
def test_nothing_is_due_before_its_instant_or_later() -> None:
    assert parse("cron(0 1 * * ? *)").next_after(at("2026-12-01T00:59:59.999Z")) == at(
        "2026-12-01T01:00Z"
    )
    assert parse("at(2026-12-01T01:00:30)").next_after(0) == at("2026-12-01T01:00:30Z")


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "1 minute",
        "rate(0 minutes)",
        "rate(-1 minutes)",
        "rate(1.5 hours)",
        "rate(30 seconds)",
        "rate(1 week)",
        "cron(0 12 * * *)",
        "at(2026-12-01)",
        "at(2026-12-01T01:00)",
        "at(2026-12-01T01:00:00Z)",
        "at(2026-13-01T01:00:00)",
    ],
)
@pytest.mark.fact("C.rate.units", "C.at.once")
def test_what_is_no_expression_is_refused(expression: str) -> None:
    with pytest.raises(ExpressionError):
        parse(expression)
