"""Rates, and the events of schedules."""

import pytest

from infra.local.cloudformation.intrinsics import Place
from infra.local.sources.records import rule_event, scheduler_event
from infra.local.sources.schedule import period_ms


@pytest.mark.parametrize(
    ("expression", "period"),
    [
        ("rate(1 minute)", 60_000),
        ("rate(5 minutes)", 300_000),
        ("rate(1 hour)", 3_600_000),
        ("rate(2 days)", 172_800_000),
        ("cron(0 12 * * ? *)", None),
        ("at(2026-01-01T00:00:00)", None),
    ],
)
def test_a_rate_is_a_period(expression: str, period: int | None) -> None:
    assert period_ms(expression) == period


def test_the_event_of_a_rule_has_the_shape_of_eventbridge() -> None:
    event = rule_event("arn:aws:events:us-east-1:0:rule/r", Place(), 1_731_324_956_562)
    assert event == {
        "version": "0",
        "id": event["id"],
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": "000000000000",
        "time": "2024-11-11T11:35:56Z",
        "region": "us-east-1",
        "resources": ["arn:aws:events:us-east-1:0:rule/r"],
        "detail": {},
    }


def test_the_event_of_a_scheduler_differs_in_source_and_detail() -> None:
    event = scheduler_event("arn:s", Place(), 1_731_324_956_562)
    assert (event["source"], event["detail"]) == ("aws.scheduler", "{}")
