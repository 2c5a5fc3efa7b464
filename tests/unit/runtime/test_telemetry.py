"""Counters: every failure is counted once, under its own reason, whoever fails beside it."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.runtime.telemetry import count


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads that interrupt each other as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hurried")
def test_posts_that_fail_side_by_side_are_counted_each_under_its_own_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    reasons = ["LimitExceededException", "PayloadTooLargeException", "ForbiddenException"] * 100

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda reason: count("postFailed", reason=reason), reasons))

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert Counter(line["reason"] for line in lines) == Counter(reasons)
    assert all(line["postFailed"] == [1.0] for line in lines)
