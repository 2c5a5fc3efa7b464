"""Schedules: functions that run at a rate, from EventBridge rules and EventBridge Scheduler.

Knows `rate(...)`; a `cron(...)` or `at(...)` is reported and not served. The first run comes one
period after the start.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.cloudformation.intrinsics import Place
from infra.local.cloudformation.template import Resource, Template
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function, Functions
from infra.local.logs import report
from infra.local.sources.deliveries import Tools
from infra.local.sources.records import rule_event, scheduler_event

RATE: Final = re.compile(r"rate\((\d+)\s+(minute|hour|day)s?\)")
UNIT_MS: Final = {"minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
EventMaker = Callable[[str, Place, int], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A function to run every `period_ms`; `given` is the input that the template fixes."""

    arn: str
    function: Function
    period_ms: int
    make_event: EventMaker
    given: Json = None


class Ticks:
    """Runs one schedule."""

    def __init__(self, schedule: Schedule, tools: Tools) -> None:
        self._schedule = schedule
        self._tools = tools
        self._running: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """The first run is due one period from now."""
        agenda = self._tools.agenda
        agenda.at(agenda.clock.now() + self._schedule.period_ms, self._tick)

    def _tick(self) -> None:
        self.start()
        self._tools.quiet.enter()
        task = asyncio.ensure_future(self._run())
        self._running.add(task)
        task.add_done_callback(self._ran)

    def _ran(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._tools.quiet.leave()

    async def _run(self) -> None:
        schedule, now = self._schedule, self._tools.agenda.clock.now()
        event = schedule.given
        if event is None:
            event = schedule.make_event(schedule.arn, self._tools.place, now)
        await self._tools.invoker.invoke(schedule.function, event)


def period_ms(expression: str) -> int | None:
    """Return the period of a rate expression, None for any other."""
    match = RATE.fullmatch(expression.strip())
    return None if match is None else int(match.group(1)) * UNIT_MS[match.group(2)]


def read_schedules(template: Template, functions: Functions) -> list[Schedule]:
    """Return the schedules of the template that run functions."""
    found: list[Schedule] = []
    for resource in template.of_kind("AWS::Events::Rule"):
        if "ScheduleExpression" in resource.properties:
            targets = resource.properties.get("Targets", [])
            found += _schedules(template, functions, resource, (targets, rule_event))
    for resource in template.of_kind("AWS::Scheduler::Schedule"):
        targets = [resource.properties["Target"]]
        found += _schedules(template, functions, resource, (targets, scheduler_event))
    return found


def _schedules(
    template: Template,
    functions: Functions,
    resource: Resource,
    targeting: tuple[Iterable[Mapping[str, Any]], EventMaker],
) -> list[Schedule]:
    if resource.properties.get("State", "ENABLED") != "ENABLED":
        return []
    expression = str(resource.properties["ScheduleExpression"])
    period = period_ms(expression)
    if period is None:
        report(f"not served: {resource.logical_id} with {expression}")
        return []
    targets, make_event = targeting
    return [
        Schedule(
            arn=template.names.arn(resource.logical_id),
            function=functions.named(str(target["Arn"])),
            period_ms=period,
            make_event=make_event,
            given=json.loads(target["Input"]) if "Input" in target else None,
        )
        for target in targets
    ]
