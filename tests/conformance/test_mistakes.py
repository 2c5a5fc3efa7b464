"""The tests of the facts can fail: each documented mistake turns at least one of them red."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.conformance.facts import facts
from tests.conformance.mistakes import MISTAKES
from tests.support.mutants import Mistake, OutOfDateError, copy_with

COPIED: Final = (
    *("infra/local", "tests/conformance", "tests/unit/local", "tests/integration/local"),
    *("pyproject.toml", "tests/__init__.py", "tests/conftest.py"),
)
LIMIT_S: Final = 100


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.name)
def test_a_documented_mistake_is_seen(mistake: Mistake, tmp_path: Path) -> None:
    copy_with(mistake, COPIED, tmp_path)
    assert failing(tmp_path, MISTAKES[mistake])


def test_what_mistakes_are_held_against_are_facts() -> None:
    named = {fact for seen_by in MISTAKES.values() for fact in seen_by}
    assert named <= {fact.id for fact in facts()}


def test_a_mistake_that_no_longer_fits_says_so(tmp_path: Path) -> None:
    gone = Mistake("gone", "tests/conftest.py", "this is nowhere in it", "")
    with pytest.raises(OutOfDateError, match="gone: found 0 times"):
        copy_with(gone, ["tests/conftest.py"], tmp_path)


def failing(folder: Path, seen_by: tuple[str, ...]) -> list[str]:
    """Return the tests of these facts that fail on the copy; none must be kept from running."""
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "--tb=no", "-rfE"),
            *("-p", "no:cacheprovider", "--facts", ",".join(seen_by)),
            *files_naming(seen_by, folder),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    lines = ended.stdout.splitlines()
    assert ended.returncode in {0, 1}, "\n".join([*lines[-20:], ended.stderr[-2000:]])
    assert not [line for line in lines if line.startswith("ERROR ")]
    return [line for line in lines if line.startswith("FAILED ")]


def files_naming(seen_by: tuple[str, ...], folder: Path) -> list[str]:
    """Return the test files that name one of these facts, those that start no system first."""
    wanted = [f'"{fact}"' for fact in seen_by]
    files = (folder / "tests").rglob("*/local/**/test_*.py")
    named = [str(file) for file in files if any(one in file.read_text() for one in wanted)]
    return sorted(named, key=lambda name: ("integration" in name, name))
