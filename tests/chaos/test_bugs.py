"""The histories notice: each deliberate bug breaks a promise within a bounded number of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chaos.bugs import BUGS
from tests.support.mutants import Mistake, copy_with

MOST = 600
"""Within so many histories each must be noticed; most are within ten."""
COPIED = ("shared", "functions", "tests/__init__.py", "tests/chaos", "tests/support")


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_bug_is_noticed(bug: Mistake, tmp_path: Path) -> None:
    copy_with(bug, COPIED, tmp_path)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    hunt = subprocess.run(
        [sys.executable, "-m", "tests.chaos.hunt", str(MOST)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert hunt.returncode == 0, hunt.stderr or f"unnoticed in {MOST} histories"
    print(bug.name, "noticed after", hunt.stdout.strip())


def test_there_are_twenty_at_least() -> None:
    assert len({bug.name for bug in BUGS}) >= 20
