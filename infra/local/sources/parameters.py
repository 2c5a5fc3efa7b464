"""Parameters of SQS requests: of the right type, and within their bounds."""

from collections.abc import Mapping
from typing import Any

from infra.local.sources.sqs_errors import SqsError, invalid_value, missing


def text(parameters: Mapping[str, Any], name: str) -> str | None:
    """Return a text, None when it is not there; raises SqsError for anything else."""
    value = parameters.get(name)
    if value is not None and not isinstance(value, str):
        raise _of_another_type(name)
    return value


def needed(parameters: Mapping[str, Any], name: str) -> str:
    """Return a text that must be there."""
    value = text(parameters, name)
    if not value:
        raise missing(name)
    return value


def number(parameters: Mapping[str, Any], name: str, allowed: range) -> int | None:
    """Return a whole number within bounds, None when it is not there; raises SqsError."""
    value = parameters.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise _of_another_type(name)
    if value not in allowed:
        first, last = allowed.start, allowed.stop - 1
        reason = f"{name} must be >= {first} and <= {last}."
        if name == "MaxNumberOfMessages":
            reason = f"Must be between {first} and {last}, if provided."
        raise invalid_value(value, name, reason)
    return value


def listed(parameters: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list, empty when it is not there; raises SqsError."""
    value = parameters.get(name) or []
    if not isinstance(value, list):
        raise _of_another_type(name)
    return value


def _of_another_type(name: str) -> SqsError:
    return SqsError("SerializationException", f"The value of {name} is of another type.")
