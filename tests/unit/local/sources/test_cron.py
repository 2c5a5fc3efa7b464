"""Which minutes cron expressions name; the examples are EventBridge's own where it gives some."""

from datetime import datetime

import pytest

from infra.local.sources.cron import CronError, parse_cron


def after(fields: str, moment: str, count: int = 1) -> list[str]:
    """Return the next minutes after a moment, e.g. `2026-11-30 10:00`."""
    cron, found = parse_cron(fields), [datetime.fromisoformat(moment)]
    for _ in range(count):
        following = cron.next_after(found[-1])
        assert following is not None
        found.append(following)
    return [one.isoformat(" ", "minutes") for one in found[1:]]


# 30 November 2026 is a Monday.
@pytest.mark.fact("C.cron.examples", "C.cron.lists-ranges-steps")
@pytest.mark.parametrize(
    ("fields", "moment", "expected"),
    [
        # 10:00 every day; 12:15 every day; 18:00 Monday to Friday; 8:00 on every first.
        ("0 10 * * ? *", "2026-11-30 10:00", ["2026-12-01 10:00", "2026-12-02 10:00"]),
        ("15 12 * * ? *", "2026-11-30 12:14", ["2026-11-30 12:15", "2026-12-01 12:15"]),
        ("0 18 ? * MON-FRI *", "2026-12-03 20:00", ["2026-12-04 18:00", "2026-12-07 18:00"]),
        ("0 8 1 * ? *", "2026-11-30 10:00", ["2026-12-01 08:00", "2027-01-01 08:00"]),
        # Every 15 minutes; every 10 minutes Monday to Friday; every 5 minutes from 8:00 to 17:55.
        ("0/15 * * * ? *", "2026-11-30 10:31", ["2026-11-30 10:45", "2026-11-30 11:00"]),
        ("0/10 * ? * MON-FRI *", "2026-12-04 23:45", ["2026-12-04 23:50", "2026-12-07 00:00"]),
        ("0/5 8-17 ? * MON-FRI *", "2026-12-04 17:51", ["2026-12-04 17:55", "2026-12-07 08:00"]),
        # Every day at 14:05 and 14:35; 10:15 on the last Friday of each month from 2019 to 2022.
        ("5,35 14 * * ? *", "2026-11-30 14:05", ["2026-11-30 14:35", "2026-12-01 14:05"]),
        ("15 10 ? * 6L 2019-2022", "2022-10-30 00:00", ["2022-11-25 10:15", "2022-12-30 10:15"]),
        # Every tenth minute from the first of the hour on: the 11th, the 21st, and so on.
        ("1/10 * * * ? *", "2026-11-30 10:01", ["2026-11-30 10:11", "2026-11-30 10:21"]),
    ],
)
def test_expressions_mean_what_the_guide_says(
    fields: str, moment: str, expected: list[str]
) -> None:
    assert after(fields, moment, 2) == expected


@pytest.mark.fact("C.cron.names", "C.cron.six-fields")
def test_names_stand_for_numbers_and_sunday_is_the_first_day() -> None:
    by_name = after("0 0 ? JAN,MAR,DEC SUN,SAT *", "2026-11-30 00:00", 12)
    assert by_name == after("0 0 ? 1,3,12 1,7 *", "2026-11-30 00:00", 12)
    assert by_name[:2] == ["2026-12-05 00:00", "2026-12-06 00:00"]


@pytest.mark.fact("C.cron.last")
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("0 0 L * ? *", ["2028-01-31 00:00", "2028-02-29 00:00", "2028-03-31 00:00"]),
        ("0 0 ? * L *", ["2028-01-01 00:00", "2028-01-08 00:00", "2028-01-15 00:00"]),
        ("0 0 ? * 6L *", ["2028-01-28 00:00", "2028-02-25 00:00", "2028-03-31 00:00"]),
        ("0 0 ? * FRIL *", ["2028-01-28 00:00", "2028-02-25 00:00", "2028-03-31 00:00"]),
    ],
)
def test_l_is_the_last_one(fields: str, expected: list[str]) -> None:
    assert after(fields, "2027-12-31 23:59", 3) == expected


@pytest.mark.fact("C.cron.weekday")
def test_w_is_the_nearest_weekday() -> None:
    # The third is a Sunday in January 2027, and a Wednesday in February and March.
    expected = ["2027-01-04 00:00", "2027-02-03 00:00", "2027-03-03 00:00", "2027-04-02 00:00"]
    assert after("0 0 3W * ? *", "2026-12-31 00:00", 4) == expected


@pytest.mark.fact("C.cron.weekday-at-the-edge")
def test_w_does_not_leave_the_month() -> None:
    assert after("0 0 1W 5 ? *", "2027-01-01 00:00") == ["2027-05-03 00:00"]  # a Saturday
    assert after("0 0 31W 1 ? *", "2027-01-01 00:00") == ["2027-01-29 00:00"]  # a Sunday
    # Months without a 31st have no weekday nearest to it.
    assert after("0 0 31W 2,3 ? *", "2027-01-01 00:00") == ["2027-03-31 00:00"]


@pytest.mark.fact("C.cron.nth")
def test_the_nth_day_of_the_week_in_a_month() -> None:
    assert after("0 0 ? * 3#2 *", "2026-11-30 00:00", 2) == ["2026-12-08 00:00", "2027-01-12 00:00"]
    # Not every month has a fifth one.
    assert after("0 0 ? * TUE#5 *", "2026-12-01 00:00", 2) == [
        "2026-12-29 00:00",
        "2027-03-30 00:00",
    ]


@pytest.mark.fact("C.cron.over-midnight")
def test_hours_after_midnight_belong_to_the_named_days() -> None:
    fields = "0 20-2 ? * MON *"
    assert after(fields, "2026-11-29 23:59", 8) == [
        "2026-11-30 00:00",
        "2026-11-30 01:00",
        "2026-11-30 02:00",
        "2026-11-30 20:00",
        "2026-11-30 21:00",
        "2026-11-30 22:00",
        "2026-11-30 23:00",
        "2026-12-07 00:00",
    ]


def test_days_that_come_rarely_are_found() -> None:
    assert after("0 0 29 2 ? *", "2096-03-01 00:00") == ["2104-02-29 00:00"]
    assert after("0 0 30 4 ? 2199", "2026-01-01 00:00") == ["2199-04-30 00:00"]


@pytest.mark.parametrize("fields", ["0 0 30 2 ? *", "0 0 * * ? 2020", "0 0 ? 2 1#5 2025"])
def test_what_never_comes_is_none(fields: str) -> None:
    assert parse_cron(fields).next_after(datetime(2026, 11, 30)) is None  # noqa: DTZ001 - wall time


@pytest.mark.fact("C.cron.question-mark")
@pytest.mark.parametrize(
    "fields",
    ["0 0 * * * *", "0 0 ? * ? *", "0 0 1 * MON *", "? 0 * * ? *", "0 0 * ? ? *", "0 0 * * ? ?"],
)
def test_one_question_mark_stands_in_one_of_two_fields(fields: str) -> None:
    with pytest.raises(CronError):
        parse_cron(fields)


@pytest.mark.fact("C.cron.six-fields", "C.cron.lists-ranges-steps", "C.cron.nth")
@pytest.mark.parametrize(
    "fields",
    [
        "",
        "0 12 * * ?",
        "0 12 * * ? * *",
        "60 0 * * ? *",
        "-1 0 * * ? *",
        "0 24 * * ? *",
        "0 0 0 * ? *",
        "0 0 32 * ? *",
        "0 0 1 0 ? *",
        "0 0 1 13 ? *",
        "0 0 1 JUNE ? *",
        "0 0 ? * 0 *",
        "0 0 ? * 8 *",
        "0 0 ? * MON/2 *",
        "0 0 ? * */2 *",
        "0 0 ? * 3#6 *",
        "0 0 ? * 3#1,6#3 *",
        "0 0 * * ? 1969",
        "0 0 * * ? 2200",
        "0 0 * * ? 2030-2026",
        "0/0 0 * * ? *",
        "1,,2 0 * * ? *",
        "1- 0 * * ? *",
    ],
)
def test_what_is_no_expression_is_refused(fields: str) -> None:
    with pytest.raises(CronError):
        parse_cron(fields)


@pytest.mark.fact("C.cron.undocumented")
@pytest.mark.parametrize(
    "fields",
    [
        "0 0 LW * ? *",
        "0 0 L-3 * ? *",
        "/5 0 * * ? *",
        "0 0 1,L * ? *",
        "0 0 ? * 2L,6L *",
        "0 0 ? * mon *",
    ],
)
def test_what_is_not_documented_is_refused(fields: str) -> None:
    with pytest.raises(CronError):
        parse_cron(fields)
