"""Copies of the source with one mistake in each, to see whether the tests notice.

A mistake is a piece of source replaced by another. It must fit exactly once: when the source has
moved on, the mistake is out of date and says so.
"""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Mistake:
    """`old` in `file` (relative to the repository) becomes `new`."""

    name: str
    file: str
    old: str
    new: str


class OutOfDateError(ValueError):
    """The source that the mistake replaces is not there exactly once."""


def copy_with(mistake: Mistake, paths: Iterable[str], folder: Path) -> None:
    """Put a copy of `paths` with the mistake into `folder`. Raises OutOfDateError."""
    for path in paths:
        source, target = ROOT / path, folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    file = folder / mistake.file
    text = file.read_text(encoding="utf-8")
    if text.count(mistake.old) != 1:
        raise OutOfDateError(
            f"{mistake.name}: found {text.count(mistake.old)} times in {mistake.file}, not once"
        )
    file.write_text(text.replace(mistake.old, mistake.new), encoding="utf-8")
