"""The facts about AWS that the local system is held to, read from the files in `facts/`.

A fact says one thing that can be seen to be so or not, and where that is known from. Where AWS
leaves a question open, `here` says what the local system does.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "facts"


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. `id` is what tests name, e.g. `A1.message.no-headers`; `here` only if open."""

    id: str
    says: str
    source: str
    here: str | None = None


@dataclass(frozen=True, slots=True)
class Area:
    """The facts of one file, under one heading."""

    title: str
    facts: tuple[Fact, ...]


def areas() -> list[Area]:
    """Return all areas in the order of their files' names. Raises ValueError for a double id."""
    found = [_read(path) for path in sorted(FOLDER.glob("*.toml"))]
    ids = [fact.id for area in found for fact in area.facts]
    double = {one for one in ids if ids.count(one) > 1}
    if double:
        raise ValueError(f"facts with the same id: {sorted(double)}")
    return found


def facts() -> Iterator[Fact]:
    """Return every fact."""
    for area in areas():
        yield from area.facts


def _read(path: Path) -> Area:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return Area(document["title"], tuple(Fact(**one) for one in document["facts"]))
