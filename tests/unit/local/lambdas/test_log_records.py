"""Lines that functions print become what a person reads."""

import json

import pytest

from infra.local.json_values import Json
from infra.local.lambdas.log_records import Told, read


@pytest.mark.parametrize("line", ["", "   ", json.dumps({"_aws": {"Timestamp": 1}, "Moves": 1})])
def test_blanks_and_metrics_say_nothing_to_a_person(line: str) -> None:
    assert read(line) is None


@pytest.mark.parametrize("line", ["plain words", "{not json", '["a"]', '{"plain": "json"}', "  x"])
def test_what_is_no_record_is_told_as_it_is(line: str) -> None:
    assert read(line) == Told(line)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        # Powertools
        (
            {
                "level": "INFO",
                "location": "f:1",
                "message": "moved",
                "timestamp": "t",
                "service": "x",
                "function_request_id": "r",
                "table": "t1",
                "ms": 3,
            },
            Told("moved table=t1 ms=3", "INFO"),
        ),
        (
            {
                "level": "ERROR",
                "message": "oh",
                "exception": "Traceback\n  x",
                "exception_name": "E",
                "stack_trace": {"frames": []},
            },
            Told("oh\nTraceback\n  x", "ERROR"),
        ),
        (
            {"level": "INFO", "message": {"event": "moved", "ply": 3}},
            Told("event=moved ply=3", "INFO"),
        ),
        # Lambda's own JSON format
        (
            {
                "timestamp": "t",
                "level": "ERROR",
                "message": "x",
                "logger": "root",
                "stackTrace": ["  File a\n", "  File b\n"],
                "errorType": "ValueError",
                "requestId": "r",
            },
            Told("x errorType=ValueError\n  File a\n  File b", "ERROR"),
        ),
        # structlog
        ({"event": "moved", "level": "warning", "ply": 3}, Told("moved ply=3", "WARNING")),
        # python-json-logger
        ({"message": "hi", "levelname": "DEBUG", "asctime": "t"}, Told("hi", "DEBUG")),
        # An `event` beside a message is a key like any other.
        ({"message": "hi", "event": "moved"}, Told("hi event=moved")),
    ],
)
def test_a_record_is_told_in_one_line(record: Json, told: Told) -> None:
    assert read(json.dumps(record)) == told
