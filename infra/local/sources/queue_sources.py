"""What a template says of event source mappings from queues, held to what Lambda accepts.

What Lambda would refuse when the stack is deployed is refused when the template is read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.lambdas.functions import Function, Functions
from infra.local.sources.filters import Filters, read_filters
from infra.local.sources.queue_specs import QueueSpec, read_queues

DEFAULT_BATCH: Final = 10
# Without a window no more than this is gathered, and from a FIFO queue never.
MOST_AT_ONCE: Final = 10
BATCH: Final = range(1, 10_000 + 1)
WINDOW_S: Final = range(300 + 1)
# Lambda starts with five batches of a standard queue at a time.
DEFAULT_CONCURRENCY: Final = 5
CONCURRENCY: Final = range(2, 1_000 + 1)
REPORTS_FAILURES: Final = "ReportBatchItemFailures"
SERVED: Final = frozenset(
    {
        "BatchSize",
        "Enabled",
        "EventSourceArn",
        "FilterCriteria",
        "FunctionName",
        "FunctionResponseTypes",
        "KmsKeyArn",
        "MaximumBatchingWindowInSeconds",
        "MetricsConfig",
        "ScalingConfig",
        "Tags",
    }
)


@dataclass(frozen=True, slots=True)
class QueueSource:
    """An event source mapping from a queue to a function."""

    queue_arn: str
    function: Function
    batch_size: int
    reports_failures: bool
    concurrency: int
    filters: Filters = field(default_factory=Filters)
    window_s: int = 0


def read_queue_sources(template: Template, functions: Functions) -> list[QueueSource]:
    """Return the enabled mappings from queues; raises TemplateError for what is not accepted."""
    specs = {spec.arn: spec for spec in read_queues(template)}
    sources = []
    for resource in template.of_kind("AWS::Lambda::EventSourceMapping"):
        arn = str(resource.properties.get("EventSourceArn"))
        if arn.startswith("arn:aws:sqs:"):
            source = _source(resource, functions, specs)
            if resource.properties.get("Enabled", True) in {True, "true"}:
                sources.append(source)
    return sources


def _source(
    resource: Resource, functions: Functions, specs: Mapping[str, QueueSpec]
) -> QueueSource:
    properties = resource.properties
    spec = specs.get(str(properties["EventSourceArn"]))
    if spec is None:
        raise TemplateError(
            f"{resource.logical_id}: {properties['EventSourceArn']} is no queue of the template"
        )
    for name in sorted(set(properties) - SERVED):
        raise TemplateError(f"{resource.logical_id}: {name} is not served for a queue")
    function = functions.named(str(properties["FunctionName"]))
    if spec.visibility_s < function.timeout_s:
        raise TemplateError(
            f"{resource.logical_id}: Queue visibility timeout: {spec.visibility_s} seconds is "
            f"less than Function timeout: {function.timeout_s:.0f} seconds"
        )
    batch_size, window_s = _batch(resource, spec)
    scaling = properties.get("ScalingConfig") or {}
    return QueueSource(
        queue_arn=spec.arn,
        function=function,
        batch_size=batch_size,
        reports_failures=_reports_failures(resource),
        concurrency=_number(
            resource, scaling, "MaximumConcurrency", (DEFAULT_CONCURRENCY, CONCURRENCY)
        ),
        filters=read_filters(resource),
        window_s=window_s,
    )


def _batch(resource: Resource, spec: QueueSpec) -> tuple[int, int]:
    properties = resource.properties
    batch_size = _number(resource, properties, "BatchSize", (DEFAULT_BATCH, BATCH))
    window_s = _number(resource, properties, "MaximumBatchingWindowInSeconds", (0, WINDOW_S))
    if spec.is_fifo and window_s:
        raise TemplateError(
            f"{resource.logical_id}: Batching window is not supported for FIFO queues"
        )
    if spec.is_fifo and batch_size > MOST_AT_ONCE:
        raise TemplateError(
            f"{resource.logical_id}: BatchSize of a FIFO queue is at most {MOST_AT_ONCE}"
        )
    if batch_size > MOST_AT_ONCE and not window_s:
        raise TemplateError(
            f"{resource.logical_id}: a BatchSize over {MOST_AT_ONCE} needs a "
            "MaximumBatchingWindowInSeconds of 1 or more"
        )
    return batch_size, window_s


def _reports_failures(resource: Resource) -> bool:
    types = resource.properties.get("FunctionResponseTypes") or []
    if set(types) - {REPORTS_FAILURES}:
        raise TemplateError(
            f"{resource.logical_id}: FunctionResponseTypes may hold {REPORTS_FAILURES} only"
        )
    return bool(types)


def _number(
    resource: Resource, values: Mapping[str, Any], name: str, known: tuple[int, range]
) -> int:
    default, allowed = known
    value = values.get(name, default)
    number = int(value) if str(value).isdecimal() else allowed.start - 1
    if number not in allowed:
        raise TemplateError(
            f"{resource.logical_id}: {name} is a whole number from {allowed.start} to "
            f"{allowed.stop - 1}, not {value}"
        )
    return number
