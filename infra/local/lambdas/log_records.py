"""Reads a line that a function printed: plain words, or a record of one of the JSON loggers.

Pure. Knows the keys of Lambda's own JSON format, Powertools, structlog and python-json-logger, and
that metrics in embedded metric format are for machines: they are left out.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.json_values import Json

MESSAGE: Final = ("message", "msg", "event")
LEVEL: Final = ("level", "levelname", "severity", "log_level")
TRACE: Final = ("exception", "exc_info", "stackTrace", "stack")
# What every line would repeat, or what the line tells already.
QUIET: Final = frozenset(
    {
        *TRACE,
        "asctime",
        "cold_start",
        "exception_name",
        "function_arn",
        "function_memory_size",
        "function_name",
        "function_request_id",
        "location",
        "logger",
        "name",
        "requestId",
        "request_id",
        "service",
        "stack_trace",
        "time",
        "timestamp",
        "xray_trace_id",
    }
)


@dataclass(frozen=True, slots=True)
class Told:
    """What a line says to a person."""

    text: str
    level: str = ""


def read(line: str) -> Told | None:
    """Return what the line says; None when it says nothing to a person."""
    if not line.strip():
        return None
    record = _record(line)
    if record is None:
        return Told(line.rstrip())
    if "_aws" in record:
        return None
    message, level = _first(record, MESSAGE), _first(record, LEVEL)
    if message is None and level is None:
        return Told(line.rstrip())
    return Told(_text(record, message), "" if level is None else str(level).upper())


def _record(line: str) -> Mapping[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, Mapping) else None


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> Json:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _text(record: Mapping[str, Any], message: Json) -> str:
    told = _pairs(message) if isinstance(message, Mapping) else str(message or "")
    used = {name for name in (*MESSAGE, *LEVEL) if record.get(name) in (message, *_levels(record))}
    rest = {name: value for name, value in record.items() if name not in used | QUIET}
    line = " ".join(part for part in (told, _pairs(rest)) if part)
    trace = _first(record, TRACE)
    return f"{line}\n{_trace(trace)}" if trace else line


def _levels(record: Mapping[str, Any]) -> list[Any]:
    return [record[name] for name in LEVEL if name in record]


def _trace(trace: Json) -> str:
    lines = trace if isinstance(trace, list) else [str(trace)]
    return "\n".join(str(line).rstrip("\n") for line in lines)


def _pairs(values: Mapping[str, Any]) -> str:
    return " ".join(
        f"{key}={value if isinstance(value, str) else json.dumps(value, default=str)}"
        for key, value in values.items()
        if value is not None
    )
