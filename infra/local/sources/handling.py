"""How the events of a function that nobody waits for are handled when it fails, or succeeds.

Read from AWS::Lambda::EventInvokeConfig, for a function's `$LATEST` or one of its aliases, and from
the function's DeadLetterConfig. Records and dead letters are made in `last_words`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.json_values import Json
from infra.local.lambdas.qualifiers import LATEST
from infra.local.sources.queue_state import Queue
from infra.local.sources.recipients import Recipients

MOST_RETRIES: Final = 2
YOUNGEST_S: Final = 60
OLDEST_S: Final = 21_600
OUTCOMES: Final = {"OnSuccess": "on_success", "OnFailure": "on_failure"}


@dataclass(frozen=True, slots=True)
class Handling:
    """Retries, the age at which an event is given up, and who is told. None is nobody."""

    most_retries: int = MOST_RETRIES
    oldest_ms: int = OLDEST_S * 1000
    on_success: Callable[[str], None] | None = None
    on_failure: Callable[[str], None] | None = None
    dead_letters: Queue | None = None


@dataclass(frozen=True, slots=True)
class Handlings:
    """The handling of each function, by logical id, and of each qualifier that has its own."""

    of_function: Mapping[str, Handling] = field(default_factory=dict)
    of_qualifier: Mapping[tuple[str, str], Handling] = field(default_factory=dict)

    def of(self, logical_id: str, qualifier: str) -> Handling:
        """Return how events for a function by this version or alias are handled."""
        usual = self.of_function.get(logical_id, Handling())
        return self.of_qualifier.get((logical_id, qualifier), usual)


def read_handlings(template: Template, recipients: Recipients) -> Handlings:
    """Return the handling of all functions; raises TemplateError for what cannot be served."""
    of_function = {
        one.logical_id: Handling(dead_letters=_dead_letters(one, recipients))
        for one in template.of_kind("AWS::Lambda::Function")
    }
    of_qualifier = {}
    for resource in template.of_kind("AWS::Lambda::EventInvokeConfig"):
        function = recipients.functions.named(str(resource.properties.get("FunctionName")))
        qualifier = str(resource.properties.get("Qualifier", LATEST))
        of_qualifier[function.logical_id, qualifier] = _configured(
            resource, recipients, of_function[function.logical_id]
        )
    return Handlings(of_function, of_qualifier)


def _configured(resource: Resource, recipients: Recipients, usual: Handling) -> Handling:
    properties = resource.properties
    age = _number(resource, "MaximumEventAgeInSeconds", (YOUNGEST_S, OLDEST_S), OLDEST_S)
    return replace(
        usual,
        most_retries=_number(resource, "MaximumRetryAttempts", (0, MOST_RETRIES), MOST_RETRIES),
        oldest_ms=age * 1000,
        **_destinations(resource, recipients, properties.get("DestinationConfig") or {}),
    )


def _destinations(
    resource: Resource, recipients: Recipients, config: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        OUTCOMES[outcome]: recipients.named(str(wanted["Destination"]), resource.logical_id)
        for outcome, wanted in config.items()
        if outcome in OUTCOMES and wanted.get("Destination")
    }


def _dead_letters(function: Resource, recipients: Recipients) -> Queue | None:
    target = (function.properties.get("DeadLetterConfig") or {}).get("TargetArn")
    if not target:
        return None
    if not str(target).startswith("arn:aws:sqs:"):
        raise TemplateError(
            f"{function.logical_id} has dead letters at {target}: only queues are served"
        )
    return recipients.queues.of_arn(str(target))


def _number(resource: Resource, name: str, bounds: tuple[int, int], usual: int) -> int:
    value: Json = resource.properties.get(name, usual)
    low, high = bounds
    if not str(value).isdecimal() or not low <= int(value) <= high:
        raise TemplateError(f"{resource.logical_id}: {name} is {low} to {high}, not {value}")
    return int(value)
