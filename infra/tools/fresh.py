"""Says whether every generated file is what its source would make of it today.

`python -m infra.tools.fresh` names each stale file and fails; with `--write` it makes them anew.
Needs no network: the lock itself comes from a registry and is only compared with pyproject.toml.
"""

import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from infra.tools.generate_protocol import GENERATED as PROTOCOL
from infra.tools.lock import ASKED_BY_THE_PRODUCT, closure, pins

ROOT = Path(__file__).parents[2]


def layer_requirements() -> str:
    """Return the requirements of the dependency layer: what the product asks for, from the lock."""
    locked = pins((ROOT / "requirements.lock").read_text())
    lines = [pin.requirement for pin in closure(locked, ASKED_BY_THE_PRODUCT)]
    return "\n".join(
        ["# Generated from requirements.lock by `make generate`. Do not edit.", *lines, ""]
    )


GENERATED: dict[str, Callable[[], str]] = {
    "infra/dependencies/requirements.txt": layer_requirements,
    **PROTOCOL,
}
"""Each generated file with what makes its text; a file joins by adding its line."""


def stale_files() -> Iterator[str]:
    """Yield one complaint for each generated file that differs from what its source makes."""
    for name, make in GENERATED.items():
        path = ROOT / name
        if not path.exists() or path.read_text() != make():
            yield f"{name} is stale: run `make generate`"


def stale_pins() -> Iterator[str]:
    """Yield one complaint for each pin of pyproject.toml that its lock does not hold."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups: dict[str, list[str]] = project["dependency-groups"]
    apart = groups.pop("sam")
    wanted = {
        "requirements.lock": [
            *project["project"]["dependencies"],
            *chain.from_iterable(groups.values()),
        ],
        "requirements-sam.lock": apart,
    }
    for lock, requirements in wanted.items():
        locked = pins((ROOT / lock).read_text())
        for requirement in requirements:
            name, version = re.sub(r"\[.*\]", "", requirement).split("==")
            if name not in locked or locked[name].version != version:
                yield f"{lock} does not hold {requirement}: run `make lock`"


def main() -> int:
    """Write what is generated, or complain; return the exit status."""
    if "--write" in sys.argv[1:]:
        for name, make in GENERATED.items():
            (ROOT / name).write_text(make())
    complaints = [*stale_pins(), *stale_files()]
    print("\n".join(complaints or ["Generated files are fresh."]))
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
