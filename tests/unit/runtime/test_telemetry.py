"""Counters and lines: what an operator sees of a request."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.runtime import telemetry


def test_a_counter_is_printed_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    telemetry.count("refused", reason="notYourTurn")
    telemetry.count("refused", reason="illegalMove")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["reason"], line["refused"]) for line in lines] == [
        ("notYourTurn", [1.0]),
        ("illegalMove", [1.0]),
    ]


def test_posts_that_fail_side_by_side_are_all_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda _: telemetry.count("postFailed", reason="429"), range(400)))
    finally:
        sys.setswitchinterval(usual)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sum(sum(line["postFailed"]) for line in lines) == 400
    assert {line["reason"] for line in lines} == {"429"}


def test_a_line_has_what_is_known_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[tuple[str, object]] = []
    monkeypatch.setattr(telemetry.logger, "info", lambda event, extra: said.append((event, extra)))
    telemetry.log("message", action="move", refusal=None, ply=0)
    assert said == [("message", {"action": "move", "ply": 0})]
