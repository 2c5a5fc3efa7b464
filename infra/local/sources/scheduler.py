"""Schedules of EventBridge Scheduler (AWS::Scheduler::Schedule, `ScheduleV2` events of SAM).

Knows zones, first and last dates, flexible windows, and the context attributes that an input may
hold. A schedule that is over is over, whether it asks to be deleted then or not.
"""

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from infra.local.cloudformation.intrinsics import Place, TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.json_values import Json
from infra.local.sources.expressions import ExpressionError, Once, Timing, bounded, parse
from infra.local.sources.recipients import Recipients
from infra.local.sources.records import instant_text, scheduler_event
from infra.local.sources.schedule import Schedule, Target

DEFAULT_GROUP: Final = "default"
MS_PER_MINUTE: Final = 60_000
LONGEST_WINDOW_MINUTES: Final = 1440
CHOICES: Final = {"State": ("ENABLED", "DISABLED"), "ActionAfterCompletion": ("NONE", "DELETE")}


def read_scheduler(template: Template, recipients: Recipients) -> list[Schedule]:
    """Return the enabled schedules; raises TemplateError for what is not served."""
    found = []
    for resource in template.of_kind("AWS::Scheduler::Schedule"):
        schedule = _schedule(template, recipients, resource)
        if _choice(resource, "State", "ENABLED") == "ENABLED":
            found.append(schedule)
    return found


def _schedule(template: Template, recipients: Recipients, resource: Resource) -> Schedule:
    _choice(resource, "ActionAfterCompletion", "NONE")
    arn = _arn(template, resource)
    target: Mapping[str, Any] = resource.properties["Target"]
    deliver = recipients.named(str(target["Arn"]), resource.logical_id)
    return Schedule(
        logical_id=resource.logical_id,
        arn=arn,
        timing=_timing(resource),
        targets=(Target(deliver, _text(resource, target, arn, template.place)),),
        window_ms=_window_minutes(resource) * MS_PER_MINUTE,
    )


def _timing(resource: Resource) -> Timing:
    properties = resource.properties
    name = str(properties.get("ScheduleExpressionTimezone", "UTC"))
    try:
        timing = parse(str(properties["ScheduleExpression"]), ZoneInfo(name))
    except ExpressionError as error:
        raise TemplateError(f"{resource.logical_id}: {error}") from None
    except (ZoneInfoNotFoundError, ValueError):
        raise TemplateError(f"{resource.logical_id}: there is no time zone {name}") from None
    if isinstance(timing, Once):
        return timing
    return bounded(timing, _instant(resource, "StartDate"), _instant(resource, "EndDate"))


def _instant(resource: Resource, name: str) -> int | None:
    given: Json = resource.properties.get(name)
    if given is None:
        return None
    try:
        # Unquoted, YAML has made a date of it already.
        text = given.isoformat() if isinstance(given, date) else str(given)
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise TemplateError(f"{resource.logical_id}: {name} {given} is no date") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)


def _window_minutes(resource: Resource) -> int:
    window: Mapping[str, Any] = resource.properties.get("FlexibleTimeWindow") or {}
    if window.get("Mode") == "OFF":
        return 0
    minutes: Json = window.get("MaximumWindowInMinutes")
    if window.get("Mode") != "FLEXIBLE" or not str(minutes).isdecimal():
        raise TemplateError(
            f"{resource.logical_id}: FlexibleTimeWindow has Mode OFF, or FLEXIBLE with "
            "MaximumWindowInMinutes"
        )
    if not 1 <= int(minutes) <= LONGEST_WINDOW_MINUTES:
        raise TemplateError(f"{resource.logical_id}: a window is 1 to 1440 minutes, not {minutes}")
    return int(minutes)


def _text(
    resource: Resource, target: Mapping[str, Any], arn: str, place: Place
) -> Callable[[int], str]:
    if "Input" not in target:
        return lambda due: json.dumps(scheduler_event(arn, place, due))
    given = str(target["Input"])
    if ":lambda:" in str(target["Arn"]) and not _is_json(filled(given, arn, 0)):
        raise TemplateError(f"{resource.logical_id}: the Input of a function is JSON")
    return lambda due: filled(given, arn, due)


def filled(text: str, arn: str, due: int) -> str:
    """Return an input with its context attributes filled in.

    Source: EventBridge Scheduler user guide, "Adding context attributes".
    """
    attributes = {
        "schedule-arn": arn,
        "scheduled-time": instant_text(due),
        "execution-id": os.urandom(8).hex(),
        "attempt-number": "1",
    }
    for name, value in attributes.items():
        text = text.replace(f"<aws.scheduler.{name}>", value)
    return text


def _arn(template: Template, resource: Resource) -> str:
    group = str(resource.properties.get("GroupName", DEFAULT_GROUP))
    prefix, _, name = template.names.arn(resource.logical_id).rpartition("/")
    return f"{prefix.rpartition('/')[0]}/{group}/{name}"


def _choice(resource: Resource, name: str, usual: str) -> str:
    value = str(resource.properties.get(name, usual))
    if value not in CHOICES[name]:
        raise TemplateError(f"{resource.logical_id}: {name} is one of {', '.join(CHOICES[name])}")
    return value


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
