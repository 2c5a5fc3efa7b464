"""Makes what functions print readable: one line each, with the function's name before it.

Knows the JSON that Lambda loggers print (level, message, further keys), and that metrics in
embedded metric format are for machines: they are left out.
"""

import io
import json
import sys
from collections.abc import Mapping
from typing import Any, Final

QUIET_KEYS: Final = frozenset(
    {
        "cold_start",
        "exception",
        "function_arn",
        "function_memory_size",
        "function_name",
        "function_request_id",
        "level",
        "location",
        "message",
        "service",
        "stack_trace",
        "timestamp",
        "xray_trace_id",
    }
)


def report(line: str) -> None:
    """Tell the person at the terminal one thing."""
    print(line, file=sys.stderr, flush=True)


def readable(name: str, line: str) -> str | None:
    """Return the line as a person reads it; None when it says nothing to one."""
    if not line.strip():
        return None
    if line.startswith("{"):
        try:
            record = json.loads(line)
        except ValueError:
            return f"{name}: {line}"
        if isinstance(record, dict):
            return None if "_aws" in record else f"{name}: {_told(record)}"
    return f"{name}: {line}"


def _told(record: Mapping[str, Any]) -> str:
    message = record.get("message", "")
    if isinstance(message, Mapping):
        message = _pairs(message)
    rest = _pairs({key: value for key, value in record.items() if key not in QUIET_KEYS})
    parts = [str(record.get("level", "INFO")), str(message), rest]
    told = " ".join(part for part in parts if part)
    trace = record.get("exception")
    return f"{told}\n{trace}" if trace else told


def _pairs(values: Mapping[str, Any]) -> str:
    return " ".join(
        f"{key}={value if isinstance(value, str) else json.dumps(value, default=str)}"
        for key, value in values.items()
        if value is not None
    )


class NamedLines(io.TextIOBase):
    """A text stream that passes on whole lines to stderr's descriptor, named and readable."""

    encoding = "utf-8"

    def __init__(self, name: str, descriptor: int) -> None:
        super().__init__()
        self._name = name
        self._sink = open(descriptor, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  lives as long as the process
        self._unfinished = ""

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def fileno(self) -> int:
        """Return the descriptor under it, for faulthandler and children."""
        return self._sink.fileno()

    def write(self, text: str) -> int:
        """Take text; whole lines are passed on at once."""
        *lines, self._unfinished = (self._unfinished + text).split("\n")
        for line in lines:
            shown = readable(self._name, line)
            if shown is not None:
                self._sink.write(shown + "\n")
        self._sink.flush()
        return len(text)
