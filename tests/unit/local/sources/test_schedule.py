"""What schedules of a template send, when, and what is refused when the template is read."""

import json
from pathlib import Path
from typing import Any

import pytest

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.sources.queue_specs import read_queues
from infra.local.sources.queues import Queues
from infra.local.sources.schedule import Schedule, within_window
from infra.local.sources.unattended import Unattended
from tests.unit.local.sources.bench import FAILED, START, Bench, functions, read

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
RULE_ARN = "arn:aws:events:us-east-1:000000000000:rule/local-Tick"
SCHEDULE_ARN = "arn:aws:scheduler:us-east-1:000000000000:schedule/default/Tick"


class Running(Bench):
    """The schedules of a template, running."""

    def __init__(self, folder: Path, resources: str) -> None:
        super().__init__(folder)
        template = read(folder, resources)
        self.queues = Queues(read_queues(template), self.clock)
        unattended = Unattended.of(template, functions(), self.queues, self.tools)
        self.schedules = unattended.schedules
        unattended.start(folder)

    @property
    def instants(self) -> list[float]:
        """The seconds since the start at which the function ran."""
        return [run.after_ms / 1000 for run in self.runs]

    @property
    def events(self) -> list[Any]:
        return [run.event for run in self.runs]


def rule(expression: str, target: str = "", **properties: str) -> str:
    """Return a rule with a schedule; `target` is what its target has besides the ARN."""
    rest = "".join(f"      {name}: {value}\n" for name, value in properties.items())
    return (
        "  Tick:\n    Type: AWS::Events::Rule\n    Properties:\n"
        f"      ScheduleExpression: {expression}\n{rest}"
        f"      Targets: [{{Arn: !GetAtt Bell.Arn, Id: a{target}}}]\n"
    )


def schedule(expression: str, target: str = "", **properties: str) -> str:
    """Return a schedule of EventBridge Scheduler, without a window unless one is given."""
    given = {"Name": "Tick", "FlexibleTimeWindow": "{Mode: 'OFF'}", **properties}
    rest = "".join(f"      {name}: {value}\n" for name, value in given.items())
    return (
        "  Tick:\n    Type: AWS::Scheduler::Schedule\n    Properties:\n"
        f"      ScheduleExpression: {expression}\n{rest}"
        f"      Target: {{Arn: !GetAtt Bell.Arn, RoleArn: r{target}}}\n"
    )


@pytest.mark.fact("C.rate.first-of-a-rule", "C.async.schedules")
async def test_a_rate_of_a_rule_runs_once_a_period(tmp_path: Path) -> None:
    running = Running(tmp_path, rule("rate(5 minutes)"))
    await running.advance(15 * MINUTE)
    assert running.instants == [300, 600, 900]


@pytest.mark.fact("C.rate.first-of-a-schedule")
async def test_a_rate_of_a_schedule_runs_first_after_one_period(tmp_path: Path) -> None:
    running = Running(tmp_path, schedule("rate(1 hours)"))
    await running.advance(2 * HOUR)
    assert running.instants == [3600, 7200]


@pytest.mark.fact("C.rule.event", "C.rule.utc", "C.schedules.precision")
async def test_a_cron_rule_sends_its_event_at_its_minute(tmp_path: Path) -> None:
    running = Running(tmp_path, rule("cron(30 9 * * ? *)"))
    await running.advance(2 * DAY)
    assert running.instants == [1.5 * HOUR, 25.5 * HOUR]
    assert running.events[0] == {
        "version": "0",
        "id": running.events[0]["id"],
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": "000000000000",
        "time": "2027-01-15T09:30:00Z",
        "region": "us-east-1",
        "resources": [RULE_ARN],
        "detail": {},
    }
    assert running.events[0]["id"] != running.events[1]["id"]


@pytest.mark.fact("C.rule.input")
async def test_the_input_of_a_rule_is_sent_in_place_of_the_event(tmp_path: Path) -> None:
    running = Running(tmp_path, rule("rate(1 minute)", target=", Input: '{\"a\": [1]}'"))
    await running.advance(MINUTE)
    assert running.events == [{"a": [1]}]


@pytest.mark.fact("C.rule.state", "C.scheduler.state")
@pytest.mark.parametrize("make", [rule, schedule])
async def test_what_is_disabled_does_not_run(tmp_path: Path, make: Any) -> None:  # noqa: ANN401 - one of the two above
    running = Running(tmp_path, make("rate(1 minute)", State="DISABLED"))
    await running.advance(HOUR)
    assert running.runs == []


async def test_sam_spells_both_kinds_too(tmp_path: Path) -> None:
    running = Running(
        tmp_path,
        """\
  Sam:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: python3.13
      Handler: app.ring
      CodeUri: .
      FunctionName: local-Bell
      Events:
        Idle: {Type: Schedule, Properties: {Schedule: rate(1 minute), Enabled: false}}
        Busy: {Type: Schedule, Properties: {Schedule: rate(2 minutes), Input: '"rule"'}}
        Night:
          Type: ScheduleV2
          Properties:
            ScheduleExpression: cron(0 3 * * ? *)
            ScheduleExpressionTimezone: Europe/Tallinn
            Input: '"schedule"'
""",
    )
    await running.advance(4 * MINUTE)
    assert running.events == ["rule", "rule"]
    await running.advance(17 * HOUR)
    assert running.instants[running.events.index("schedule")] == 17 * HOUR


@pytest.mark.fact("C.scheduler.default-event")
async def test_a_schedule_without_an_input_sends_a_notification(tmp_path: Path) -> None:
    running = Running(tmp_path, schedule("at(2027-01-15T08:10:00)"))
    await running.advance(DAY)
    assert running.instants == [600]
    event = running.events[0]
    assert (event["source"], event["detail-type"]) == ("aws.scheduler", "Scheduled Event")
    assert (event["resources"], event["time"]) == ([SCHEDULE_ARN], "2027-01-15T08:10:00Z")


@pytest.mark.fact("C.scheduler.attributes")
async def test_context_attributes_are_filled_in(tmp_path: Path) -> None:
    words = ("schedule-arn", "scheduled-time", "execution-id", "attempt-number", "unknown")
    text = json.dumps({word: f"<aws.scheduler.{word}>" for word in words})
    running = Running(tmp_path, schedule("rate(1 minutes)", target=f", Input: '{text}'"))
    await running.advance(2 * MINUTE)
    first, second = running.events
    assert first["schedule-arn"] == SCHEDULE_ARN
    assert first["scheduled-time"] == "2027-01-15T08:01:00Z"
    assert first["attempt-number"] == "1"
    assert first["unknown"] == "<aws.scheduler.unknown>"
    assert first["execution-id"] != second["execution-id"]


@pytest.mark.fact("C.scheduler.group")
@pytest.mark.parametrize(
    ("given", "group"), [({}, "default"), ({"GroupName": "nightly"}, "nightly")]
)
async def test_the_arn_says_the_group(tmp_path: Path, given: dict[str, str], group: str) -> None:
    running = Running(tmp_path, schedule("rate(1 minutes)", **given))
    assert running.schedules[0].arn.endswith(f":schedule/{group}/Tick")


async def test_a_group_of_the_template_is_known_by_its_name(tmp_path: Path) -> None:
    group = "  Group: {Type: AWS::Scheduler::ScheduleGroup, Properties: {Name: nightly}}\n"
    running = Running(tmp_path, group + schedule("rate(1 minutes)", GroupName="!Ref Group"))
    assert running.schedules[0].arn.endswith(":schedule/nightly/Tick")


@pytest.mark.fact("C.scheduler.dates", "C.rate.first-at-the-start-date")
@pytest.mark.parametrize("quote", ["'", ""])
async def test_a_schedule_runs_from_its_first_date_to_its_last(tmp_path: Path, quote: str) -> None:
    dates = {
        "StartDate": f"{quote}2027-01-15T10:00:00Z{quote}",
        "EndDate": f"{quote}2027-01-15T13:00:00Z{quote}",
    }
    running = Running(tmp_path, schedule("rate(2 hours)", **dates))
    await running.advance(DAY)
    assert running.instants == [2 * HOUR, 4 * HOUR]


@pytest.mark.fact("C.at.once")
async def test_at_does_not_care_about_dates(tmp_path: Path) -> None:
    given = {"StartDate": "'2028-01-01T00:00:00Z'", "ScheduleExpressionTimezone": "Asia/Tokyo"}
    running = Running(tmp_path, schedule("at(2027-01-15T18:00:00)", **given))
    await running.advance(DAY)
    assert running.instants == [HOUR]


@pytest.mark.fact("C.scheduler.after-completion")
@pytest.mark.parametrize("action", ["NONE", "DELETE"])
async def test_what_is_to_be_done_after_the_last_run_changes_no_run(
    tmp_path: Path, action: str
) -> None:
    given = {"ActionAfterCompletion": action, "EndDate": "'2027-01-15T08:02:00Z'"}
    running = Running(tmp_path, schedule("rate(1 minutes)", **given))
    await running.advance(HOUR)
    assert running.instants == [60, 120]


@pytest.mark.fact("C.scheduler.window", "C.scheduler.where-in-the-window")
async def test_a_run_comes_within_its_window(tmp_path: Path) -> None:
    window = "{Mode: FLEXIBLE, MaximumWindowInMinutes: 15}"
    text = ", Input: '\"<aws.scheduler.scheduled-time>\"'"
    made = schedule("rate(1 hours)", target=text, FlexibleTimeWindow=window)
    running = Running(tmp_path, made)
    await running.advance(20 * HOUR + 15 * MINUTE)
    offsets = [instant - HOUR * n for n, instant in enumerate(running.instants, start=1)]
    assert len(offsets) == 20
    assert all(0 <= offset < 15 * MINUTE for offset in offsets)
    assert len(set(offsets)) > 10
    assert min(offsets) < 5 * MINUTE < 10 * MINUTE < max(offsets)
    assert running.events[:2] == ["2027-01-15T09:00:00Z", "2027-01-15T10:00:00Z"]
    one = running.schedules[0]
    assert offsets[0] * 1000 == within_window(one, START + HOUR * 1000)


def test_without_a_window_a_run_comes_at_once() -> None:
    assert within_window(Schedule("S", "arn", None, ()), START) == 0  # type: ignore[arg-type]  # no timing is asked


@pytest.mark.fact("C.schedules.queues")
@pytest.mark.parametrize("make", [rule, schedule])
async def test_a_queue_is_sent_the_event(tmp_path: Path, make: Any) -> None:  # noqa: ANN401 - one of two
    resources = "  Post: {Type: AWS::SQS::Queue}\n" + make("rate(2 minutes)")
    running = Running(tmp_path, resources.replace("Bell.Arn", "Post.Arn"))
    await running.advance(2 * MINUTE)
    (message,) = running.queues.by_name["local-Post"].messages.values()
    assert json.loads(message.body)["detail-type"] == "Scheduled Event"


@pytest.mark.fact("C.async.schedules", "C.async.of-an-alias")
async def test_a_failed_run_is_retried_as_the_invoked_alias_wants_it(tmp_path: Path) -> None:
    alias = """\
  Live:
    Type: AWS::Lambda::Alias
    Properties: {FunctionName: !Ref Bell, FunctionVersion: 1, Name: live}
  Once:
    Type: AWS::Lambda::EventInvokeConfig
    Properties: {FunctionName: !Ref Bell, Qualifier: live, MaximumRetryAttempts: 0}
"""
    made = alias + rule("rate(1 hour)") + rule("rate(1 day)").replace("Tick", "Daily")
    running = Running(tmp_path, made.replace("!GetAtt Bell.Arn", "!Ref Live", 1))
    running.functions.outcomes.append(FAILED)
    await running.advance(HOUR + 10 * MINUTE)
    assert running.instants == [HOUR]
    await running.advance(DAY - HOUR - 11 * MINUTE)
    running.functions.outcomes.extend([FAILED, FAILED])
    await running.advance(10 * MINUTE)
    # Hourly and daily, and one minute later the daily one again, which no alias is named for.
    assert running.instants[-3:] == [DAY, DAY, DAY + MINUTE]


async def test_a_rule_can_have_several_targets(tmp_path: Path) -> None:
    made = rule("rate(1 minute)").replace(
        "Targets: [", "Targets: [{Arn: !GetAtt Bell.Arn, Id: b, Input: '1'}, "
    )
    running = Running(tmp_path, made)
    await running.advance(MINUTE)
    assert running.events[0] == 1
    assert running.events[1]["source"] == "aws.events"


async def test_what_was_missed_while_nothing_ran_is_not_made_up_for(tmp_path: Path) -> None:
    running = Running(tmp_path, rule("cron(0/10 * * * ? *)"))
    running.clock.set(START + 65 * MINUTE * 1000)  # as a machine that slept
    await running.advance(5 * MINUTE)
    # The one that was waited for is late, the others are left out.
    assert [instant // MINUTE for instant in running.instants] == [65, 70]


@pytest.mark.parametrize(
    ("resources", "problem"),
    [
        (rule("rate(1 minutes)"), "1 minute"),
        (rule("rate(5 minute)"), "2 minutes"),
        (rule("at(2027-01-15T08:10:00)"), "EventBridge Scheduler"),
        (rule("cron(0 0 * * * *)"), "must be ?"),
        (rule("rate(1 minute)", State="'ON'"), "State"),
        (rule("rate(1 minute)", target=", Input: 'no'"), "not JSON"),
        (rule("rate(1 minute)", target=", Input: {a: 1}"), "not JSON"),
        (rule("rate(1 minute)", target=", InputPath: $.detail"), "InputPath"),
        (rule("rate(1 minute)", target=", InputTransformer: {InputTemplate: a}"), "InputTransf"),
        (rule("rate(1 minute)").replace("!GetAtt Bell.Arn", "arn:aws:sns:r:0:t"), "sns"),
        (schedule("sometimes"), "is none of"),
        (schedule("rate(1 minutes)", State="'ON'"), "State"),
        (schedule("rate(1 minutes)", ActionAfterCompletion="STAY"), "ActionAfterCompletion"),
        (schedule("rate(1 minutes)", ScheduleExpressionTimezone="Mars/Olympus"), "time zone Mars"),
        (schedule("rate(1 minutes)", StartDate="soon"), "StartDate"),
        (schedule("rate(1 minutes)", FlexibleTimeWindow="{Mode: 'ON'}"), "FlexibleTimeWindow"),
        (schedule("rate(1 minutes)", FlexibleTimeWindow="{Mode: FLEXIBLE}"), "FlexibleTimeWindow"),
        (
            schedule(
                "rate(1 minutes)",
                FlexibleTimeWindow="{Mode: FLEXIBLE, MaximumWindowInMinutes: 1441}",
            ),
            "1441",
        ),
        (schedule("rate(1 minutes)", target=", Input: 'no'"), "is JSON"),
        (
            schedule("rate(1 minutes)").replace(
                "!GetAtt Bell.Arn", "arn:aws:scheduler:::aws-sdk:lambda:invoke"
            ),
            "only functions and queues",
        ),
    ],
)
@pytest.mark.fact(
    "C.rate.units", "C.rule.no-at", "C.scheduler.json-for-functions", "C.scheduler.window"
)
async def test_what_is_wrong_or_not_served_is_refused_in_one_line(
    tmp_path: Path, resources: str, problem: str
) -> None:
    with pytest.raises(TemplateError, match=r"^Tick") as refused:
        Running(tmp_path, resources)
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)
