"""Schedules of EventBridge rules (AWS::Events::Rule, `Schedule` events of SAM): always in UTC.

Rules that match events have no bus here and are reported; inputs made of the event are refused.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.json_values import Json
from infra.local.logs import report
from infra.local.sources.expressions import (
    ExpressionError,
    Once,
    Timing,
    is_rightly_plural,
    parse,
)
from infra.local.sources.recipients import Recipients
from infra.local.sources.records import rule_event
from infra.local.sources.schedule import Schedule, Target

STATES: Final = {
    "ENABLED": True,
    "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS": True,
    "DISABLED": False,
}
MADE_OF_EVENTS: Final = ("InputPath", "InputTransformer")


def read_rules(template: Template, recipients: Recipients) -> list[Schedule]:
    """Return the enabled rules with a schedule; raises TemplateError for what is not served."""
    found = []
    for rule in template.of_kind("AWS::Events::Rule"):
        if "EventPattern" in rule.properties:
            report(f"not served: {rule.logical_id} waits for events, and there is no event bus")
        if "ScheduleExpression" in rule.properties:
            schedule = _schedule(template, recipients, rule)
            if _is_enabled(rule):
                found.append(schedule)
    return found


def _schedule(template: Template, recipients: Recipients, rule: Resource) -> Schedule:
    arn = template.names.arn(rule.logical_id)
    targets = rule.properties.get("Targets") or []
    return Schedule(
        logical_id=rule.logical_id,
        arn=arn,
        timing=_timing(rule),
        targets=tuple(_target(template, recipients, rule, one) for one in targets),
    )


def _timing(rule: Resource) -> Timing:
    expression = str(rule.properties["ScheduleExpression"])
    try:
        timing = parse(expression)
    except ExpressionError as error:
        raise TemplateError(f"{rule.logical_id}: {error}") from None
    if isinstance(timing, Once):
        raise TemplateError(f"{rule.logical_id}: {expression} is for EventBridge Scheduler only")
    if not is_rightly_plural(expression):
        raise TemplateError(f"{rule.logical_id}: {expression} is `1 minute` or `2 minutes`")
    return timing


def _target(
    template: Template, recipients: Recipients, rule: Resource, target: Mapping[str, Any]
) -> Target:
    for name in MADE_OF_EVENTS:
        if name in target:
            raise TemplateError(f"{rule.logical_id} has an {name}: not served, Input is")
    deliver = recipients.named(str(target["Arn"]), rule.logical_id)
    if "Input" in target:
        given = _json(rule, target["Input"])
        return Target(deliver, lambda _: given)
    arn = template.names.arn(rule.logical_id)
    return Target(deliver, lambda due: json.dumps(rule_event(arn, template.place, due)))


def _is_enabled(rule: Resource) -> bool:
    state = str(rule.properties.get("State", "ENABLED"))
    if state not in STATES:
        raise TemplateError(f"{rule.logical_id}: State is one of {', '.join(STATES)}")
    return STATES[state]


def _json(rule: Resource, given: Json) -> str:
    try:
        json.loads(str(given))
    except ValueError:
        raise TemplateError(f"{rule.logical_id}: Input is not JSON text") from None
    return str(given)
