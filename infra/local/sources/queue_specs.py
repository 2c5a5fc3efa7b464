"""What a template says of its queues, held to the ranges that SQS holds them to.

What SQS would refuse when the stack is deployed is refused when the template is read.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.json_values import Json

LONGEST_DELAY_S: Final = 900
LONGEST_VISIBILITY_S: Final = 43_200
LONGEST_WAIT_S: Final = 20
MOST_BYTES: Final = 1_048_576
RETENTION_S: Final = range(60, 1_209_600 + 1)
RECEIVES: Final = range(1, 1000 + 1)
TRUE: Final = frozenset({True, "true", "True"})


@dataclass(frozen=True, slots=True)
class QueueSpec:
    """One queue; `dead_letters` is the ARN of another queue of the template."""

    name: str
    arn: str
    url: str
    delay_s: int = 0
    visibility_s: int = 30
    retention_s: int = 345_600
    wait_s: int = 0
    most_bytes: int = MOST_BYTES
    most_receives: int | None = None
    dead_letters: str | None = None
    is_fifo: bool = False
    deduplicates_by_content: bool = False
    deduplicates_per_group: bool = False


def read_queues(template: Template) -> list[QueueSpec]:
    """Return the queues of the template; raises TemplateError for what SQS would refuse."""
    resources = list(template.of_kind("AWS::SQS::Queue"))
    specs = [_spec(template, resource) for resource in resources]
    by_arn = {spec.arn: spec for spec in specs}
    for resource, spec in zip(resources, specs, strict=True):
        _check_dead_letters(resource, spec, by_arn)
    for resource, spec in zip(resources, specs, strict=True):
        _check_allowed(resource, spec, specs)
    return specs


def _spec(template: Template, resource: Resource) -> QueueSpec:
    properties, names = resource.properties, template.names
    name = names.name(resource.logical_id)
    is_fifo = properties.get("FifoQueue") in TRUE
    _check_name(resource, name, is_fifo=is_fifo)
    redrive = _object(resource, "RedrivePolicy")
    receives = None
    if redrive:
        if "deadLetterTargetArn" not in redrive:
            raise TemplateError(f"{resource.logical_id}: RedrivePolicy has no deadLetterTargetArn")
        receives = _number(resource, redrive, "maxReceiveCount", (10, RECEIVES))
    return QueueSpec(
        name=name,
        arn=names.arn(resource.logical_id),
        url=names.queue_url(resource.logical_id),
        delay_s=_number(resource, properties, "DelaySeconds", (0, _up_to(LONGEST_DELAY_S))),
        visibility_s=_number(
            resource, properties, "VisibilityTimeout", (30, _up_to(LONGEST_VISIBILITY_S))
        ),
        retention_s=_number(resource, properties, "MessageRetentionPeriod", (345_600, RETENTION_S)),
        wait_s=_number(
            resource, properties, "ReceiveMessageWaitTimeSeconds", (0, _up_to(LONGEST_WAIT_S))
        ),
        most_bytes=_number(
            resource, properties, "MaximumMessageSize", (MOST_BYTES, range(1024, MOST_BYTES + 1))
        ),
        most_receives=receives,
        dead_letters=redrive.get("deadLetterTargetArn"),
        is_fifo=is_fifo,
        deduplicates_by_content=properties.get("ContentBasedDeduplication") in TRUE,
        deduplicates_per_group=properties.get("DeduplicationScope") == "messageGroup",
    )


def _check_name(resource: Resource, name: str, *, is_fifo: bool) -> None:
    if is_fifo != name.endswith(".fifo"):
        rule = "ends" if is_fifo else "does not end"
        kind = "FIFO queue" if is_fifo else "standard queue"
        raise TemplateError(f"{resource.logical_id}: the name of a {kind} {rule} in .fifo")
    only_fifo = {"ContentBasedDeduplication", "DeduplicationScope", "FifoThroughputLimit"}
    for given in sorted(only_fifo & set(resource.properties)):
        if not is_fifo:
            raise TemplateError(f"{resource.logical_id}: {given} is for FIFO queues only")


def _check_dead_letters(
    resource: Resource, spec: QueueSpec, by_arn: Mapping[str, QueueSpec]
) -> None:
    if spec.dead_letters is None:
        return
    target = by_arn.get(spec.dead_letters)
    if target is None:
        raise TemplateError(
            f"{resource.logical_id}: its dead letters go to {spec.dead_letters}, "
            "no queue of the template"
        )
    if target.is_fifo != spec.is_fifo:
        raise TemplateError(
            f"{resource.logical_id}: the dead-letter queue of a FIFO queue is a FIFO queue, "
            "of a standard queue a standard queue"
        )


def _check_allowed(resource: Resource, spec: QueueSpec, specs: list[QueueSpec]) -> None:
    policy = _object(resource, "RedriveAllowPolicy")
    permission = policy.get("redrivePermission", "allowAll")
    allowed = policy.get("sourceQueueArns", []) if permission == "byQueue" else []
    for source in specs:
        is_allowed = permission == "allowAll" or source.arn in allowed
        if source.dead_letters == spec.arn and not is_allowed:
            raise TemplateError(
                f"{resource.logical_id}: RedriveAllowPolicy does not take dead letters "
                f"of {source.name}"
            )


def _object(resource: Resource, name: str) -> Mapping[str, Any]:
    value: Json = resource.properties.get(name, {})
    try:
        read = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        read = None
    if not isinstance(read, Mapping):
        raise TemplateError(f"{resource.logical_id}: {name} is not a JSON object")
    return read


def _number(
    resource: Resource, values: Mapping[str, Any], name: str, known: tuple[int, range]
) -> int:
    default, allowed = known
    value = values.get(name, default)
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = allowed.start - 1
    if number not in allowed:
        raise TemplateError(
            f"{resource.logical_id}: {name} is a whole number from {allowed.start} to "
            f"{allowed.stop - 1}, not {value}"
        )
    return number


def _up_to(most: int) -> range:
    return range(most + 1)
