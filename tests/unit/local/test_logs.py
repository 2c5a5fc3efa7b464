"""What functions print becomes readable lines."""

import json

import pytest

from infra.local.logs import readable


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain words", "Move: plain words"),
        ("{not json", "Move: {not json"),
        ("   ", None),
        (
            json.dumps(
                {"level": "INFO", "message": "moved", "service": "x", "table": "t1", "ms": 3}
            ),
            "Move: INFO moved table=t1 ms=3",
        ),
        (json.dumps({"level": "INFO", "message": {"event": "moved"}}), "Move: INFO event=moved"),
        (
            json.dumps({"level": "ERROR", "message": "oh", "exception": "Traceback\n  x"}),
            "Move: ERROR oh\nTraceback\n  x",
        ),
        (json.dumps({"_aws": {"Timestamp": 1}, "Moves": 1}), None),
    ],
)
def test_a_line_is_shown_as_a_person_reads_it(line: str, shown: str | None) -> None:
    assert readable("Move", line) == shown
