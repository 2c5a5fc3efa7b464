"""Writes what docs/protocol says by machine: AsyncAPI, TypeScript and the reference.

`python -m infra.tools.generate_protocol` writes the files; with `--check` it writes nothing, names
each stale one, and fails if there is any.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from infra.tools.protocol.asyncapi import asyncapi_text
from infra.tools.protocol.reference import reference_text
from infra.tools.protocol.typescript import typescript_text

ROOT = Path(__file__).parents[2]
GENERATED: dict[str, Callable[[], str]] = {
    "docs/protocol/asyncapi.json": asyncapi_text,
    "docs/protocol/tabiya.d.ts": typescript_text,
    "docs/protocol/reference.md": reference_text,
}
"""Each file, and what makes its text."""


def stale() -> list[str]:
    """The files that are not what the product's classes would make of them today."""
    return [name for name, text in GENERATED.items() if _current(name) != text()]


def _current(name: str) -> str | None:
    path = ROOT / name
    return path.read_text() if path.exists() else None


def _write() -> None:
    for name, text in GENERATED.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text())


def main(arguments: list[str]) -> int:
    """Write the files, or with --check only say which are stale; the exit status."""
    if "--check" not in arguments:
        _write()
        return 0
    found = stale()
    for name in found:
        print(f"{name} is stale: run python -m infra.tools.generate_protocol")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
