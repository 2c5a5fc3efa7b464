"""What the lock says: which package stands at which version, and who asked for it.

Reads the text that `uv pip compile` writes, with its `# via` notes. Knows no registry.
"""

import re
from dataclasses import dataclass
from itertools import chain

ASKED_BY_THE_PRODUCT = "tabiya (pyproject.toml)"
"""How uv notes that `project.dependencies`, not a group, named a package."""

_HEAD = re.compile(r"^(?P<name>[a-z0-9-]+)(?:\[[^]]*\])?==(?P<version>[^ ]+)")


@dataclass(frozen=True, slots=True)
class Pin:
    """One package of the lock; `requirement` is its text with hashes, without the notes."""

    name: str
    version: str
    requirement: str
    asked_by: frozenset[str]


def pins(lock: str) -> dict[str, Pin]:
    """Return every package of the lock by its name."""
    found = (_pin(block) for block in re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE))
    return {pin.name: pin for pin in found if pin is not None}


def closure(locked: dict[str, Pin], root: str) -> list[Pin]:
    """Return what `root` asked for and all that follows from it, in the order of the lock."""
    names = {root}
    while more := {pin.name for pin in locked.values() if pin.asked_by & names} - names:
        names |= more
    return [pin for pin in locked.values() if pin.name in names]


def _pin(block: str) -> Pin | None:
    head = _HEAD.match(block)
    if head is None:
        return None
    lines = block.splitlines()
    notes = [line for line in lines if line.lstrip().startswith("#")]
    asked_by = chain.from_iterable(re.findall(r"#\s+(?:via )?(\S.*)$", note) for note in notes)
    requirement = "\n".join(line for line in lines if line.strip() and line not in notes)
    return Pin(head["name"], head["version"], requirement, frozenset(asked_by))
