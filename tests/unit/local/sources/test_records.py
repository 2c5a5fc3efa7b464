"""The events of schedules."""

from infra.local.cloudformation.intrinsics import Place
from infra.local.sources.records import rule_event, scheduler_event


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
