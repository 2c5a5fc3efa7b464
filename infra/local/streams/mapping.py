"""Event source mappings from DynamoDB streams, read from a template.

Knows the parameters that AWS documents for them, their defaults and their bounds; what it does
not serve it refuses, because functions would see other batches than on AWS.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.lambdas.functions import Function, Functions
from infra.local.logs import report
from infra.local.sources.filters import Filters, read_change_filters

KIND: Final = "AWS::Lambda::EventSourceMapping"
MARK: Final = ":dynamodb:"
SERVED: Final = frozenset(
    {
        "BatchSize",
        "BisectBatchOnFunctionError",
        "DestinationConfig",
        "Enabled",
        "EventSourceArn",
        "FilterCriteria",
        "FunctionName",
        "FunctionResponseTypes",
        "MaximumBatchingWindowInSeconds",
        "MaximumRecordAgeInSeconds",
        "MaximumRetryAttempts",
        "ParallelizationFactor",
        "StartingPosition",
        "TumblingWindowInSeconds",
    }
)
# A function sees nothing of these.
UNSEEN: Final = frozenset({"KmsKeyArn", "LoggingConfig", "MetricsConfig", "Tags"})
LATEST: Final = "LATEST"
TRIM_HORIZON: Final = "TRIM_HORIZON"
INFINITE: Final = -1
LEAST_AGE_S: Final = 60
MOST_READERS: Final = 2


@dataclass(frozen=True, slots=True)
class StreamSource:
    """An event source mapping from the stream of a table to a function.

    `most_retries` and `most_age_s` are None where they have no end; `dead_letters` is a queue.
    """

    name: str
    stream_arn: str
    table: str
    function: Function
    starts_at_latest: bool = True
    batch_size: int = 100
    window_s: int = 0
    most_retries: int | None = None
    most_age_s: int | None = None
    bisects: bool = False
    factor: int = 1
    reports_failures: bool = False
    dead_letters: str | None = None
    filters: Filters = Filters()  # noqa: RUF009  it is frozen


def read_stream_sources(template: Template, functions: Functions) -> list[StreamSource]:
    """Return the mappings from streams that are enabled; raises TemplateError."""
    found = []
    for resource in template.of_kind(KIND):
        arn = str(resource.properties.get("EventSourceArn"))
        if MARK in arn:
            source = _source(template, functions, resource, arn)
            if str(resource.properties.get("Enabled", True)).lower() == "true":
                found.append(source)
        elif ":sqs:" not in arn:
            report(f"not served: {resource.logical_id}, an event source of {arn}")
    for table, readers in Counter(one.table for one in found).items():
        if readers > MOST_READERS:
            report(f"the stream of {table} has {readers} readers: AWS throttles more than two")
    return found


def _source(template: Template, functions: Functions, resource: Resource, arn: str) -> StreamSource:
    properties, name = resource.properties, resource.logical_id
    unknown = sorted(set(properties) - SERVED - UNSEEN)
    if unknown:
        raise TemplateError(f"{name} has {unknown[0]}: not served for a stream")
    if _whole(resource, "TumblingWindowInSeconds", 0, (0, 900)):
        raise TemplateError(f"{name} has a tumbling window: not served")
    return StreamSource(
        name=name,
        stream_arn=arn,
        table=_table(template, name, arn),
        function=functions.named(str(properties["FunctionName"])),
        starts_at_latest=_starts_at_latest(resource),
        batch_size=_whole(resource, "BatchSize", 100, (1, 10_000)),
        window_s=_whole(resource, "MaximumBatchingWindowInSeconds", 0, (0, 300)),
        most_retries=_finite(
            _whole(resource, "MaximumRetryAttempts", INFINITE, (INFINITE, 10_000))
        ),
        most_age_s=_age(resource),
        bisects=str(properties.get("BisectBatchOnFunctionError", False)).lower() == "true",
        factor=_whole(resource, "ParallelizationFactor", 1, (1, 10)),
        reports_failures="ReportBatchItemFailures" in properties.get("FunctionResponseTypes", []),
        dead_letters=_dead_letters(template, resource),
        filters=read_change_filters(resource),
    )


def _table(template: Template, name: str, arn: str) -> str:
    """Return the name of the table whose stream it is."""
    for resource in template.of_kind("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"):
        if arn.startswith(f"{template.names.arn(resource.logical_id)}/stream/"):
            if "StreamSpecification" not in resource.properties:
                raise TemplateError(
                    f"{name} reads the stream of {resource.logical_id}: it has none"
                )
            return template.names.name(resource.logical_id)
    raise TemplateError(f"{name} reads {arn}: no table of the template has this stream")


def _starts_at_latest(resource: Resource) -> bool:
    position = resource.properties.get("StartingPosition")
    if position not in {LATEST, TRIM_HORIZON}:
        raise TemplateError(
            f"StartingPosition of {resource.logical_id} is {TRIM_HORIZON} or {LATEST}"
        )
    return bool(position == LATEST)


def _age(resource: Resource) -> int | None:
    age = _whole(resource, "MaximumRecordAgeInSeconds", INFINITE, (INFINITE, 604_800))
    if INFINITE < age < LEAST_AGE_S:
        raise TemplateError(
            f"MaximumRecordAgeInSeconds of {resource.logical_id} is {INFINITE} or {LEAST_AGE_S} up"
        )
    return _finite(age)


def _finite(value: int) -> int | None:
    return None if value == INFINITE else value


def _whole(resource: Resource, name: str, default: int, bounds: tuple[int, int]) -> int:
    value = int(resource.properties.get(name, default))
    if not bounds[0] <= value <= bounds[1]:
        raise TemplateError(
            f"{name} of {resource.logical_id} is from {bounds[0]} to {bounds[1]}, not {value}"
        )
    return value


def _dead_letters(template: Template, resource: Resource) -> str | None:
    config: Mapping[str, Any] = resource.properties.get("DestinationConfig") or {}
    if set(config) - {"OnFailure"}:
        raise TemplateError(f"{resource.logical_id} has a destination beside OnFailure: not served")
    if not config:
        return None
    arn = str(config["OnFailure"].get("Destination"))
    queues = {template.names.arn(one.logical_id) for one in template.of_kind("AWS::SQS::Queue")}
    if arn not in queues:
        raise TemplateError(
            f"the OnFailure destination of {resource.logical_id} is no queue of the template: {arn}"
        )
    return arn
