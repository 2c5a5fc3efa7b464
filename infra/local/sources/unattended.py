"""What happens without a client: schedules, and events that nobody waits for, put together."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from infra.local.cloudformation.template import Template
from infra.local.lambdas.functions import Functions
from infra.local.sources.asynchronous import Asynchronous
from infra.local.sources.deliveries import Tools
from infra.local.sources.handling import read_handlings
from infra.local.sources.queues import Queues
from infra.local.sources.recipients import Recipients
from infra.local.sources.rules import read_rules
from infra.local.sources.schedule import Schedule, Ticks
from infra.local.sources.scheduler import read_scheduler


@dataclass(frozen=True, slots=True)
class Unattended:
    """The schedules of a template, and the asynchronous invocation of its functions."""

    asynchronous: Asynchronous
    schedules: tuple[Schedule, ...]
    tools: Tools

    @classmethod
    def of(cls, template: Template, functions: Functions, queues: Queues, tools: Tools) -> Self:
        """Read it from the template; raises TemplateError for what is not served."""
        asynchronous = Asynchronous(functions, tools)
        recipients = Recipients(functions, queues, asynchronous)
        asynchronous.handlings = read_handlings(template, recipients)
        schedules = (*read_rules(template, recipients), *read_scheduler(template, recipients))
        return cls(asynchronous, schedules, tools)

    def start(self, state: Path) -> None:
        """Schedules run from now on, and events saved at the last stop are gone on with."""
        self.asynchronous.restore(_saved(state))
        for schedule in self.schedules:
            Ticks(schedule, self.tools).start()

    def stop(self, state: Path) -> None:
        """Events that are not handled yet are saved in the folder `state`."""
        self.asynchronous.stop(_saved(state))


def _saved(state: Path) -> Path:
    return state / "unawaited.json"
