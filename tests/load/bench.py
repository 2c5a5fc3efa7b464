"""`python -m tests.load.bench`: speed, size and memory, measured; `--json`, `--write`, `--only`.

Everything stays on this machine and takes less than five minutes. `--write` puts the figures into
docs/measurements.md; sections that were not measured stay there as they are.
"""

import argparse
import json
import os
import platform
from dataclasses import asdict
from pathlib import Path

from tests.load.figures import ROOT, Figure, figure, run

SECTIONS = {
    "A move": "tests.load.handler_cpu",
    "Start-up": "tests.load.start_up",
    "Over sockets": "tests.load.sockets",
    "The local cloud": "tests.load.local_cloud",
    "Bytes": "tests.load.sizes",
}
MEASUREMENTS = ROOT / "docs" / "measurements.md"


def main() -> None:
    """Every section, printed as it is finished."""
    parser = argparse.ArgumentParser(prog="python -m tests.load.bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--write", action="store_true", help="write docs/measurements.md")
    parser.add_argument("--only", choices=SECTIONS, help="measure that section alone")
    asked = parser.parse_args()
    measured: dict[str, list[Figure]] = {}
    for section, module in SECTIONS.items():
        if asked.only not in {None, section}:
            continue
        measured[section] = [_busy(), *run(module)]
        if not asked.json:
            print(_as_text(section, measured[section]), flush=True)
    if asked.json:
        print(
            json.dumps({name: [asdict(one) for one in found] for name, found in measured.items()})
        )
    if asked.write:
        MEASUREMENTS.write_text(_as_page(measured))


def _busy() -> Figure:
    """What else the machine does makes milliseconds longer, and ratios hardly."""
    return figure("load average of the machine, in the minute before", "", [os.getloadavg()[0]])


def _as_text(section: str, figures: list[Figure]) -> str:
    width = max(len(one.what) for one in figures)
    return "\n".join([section, *(f"  {one.what:<{width}}  {one}" for one in figures), ""])


def _as_page(measured: dict[str, list[Figure]]) -> str:
    lines = [
        "# Measurements",
        "",
        "Written by `python -m tests.load.bench --write`: medians, between what half of the",
        "measurements lay. Ratios hold anywhere, milliseconds only on this machine:",
        f"{os.cpu_count()} cores ({_processor()}), Python {platform.python_version()}. Gateway,",
        "functions, MiniStack and clients share those cores.",
    ]
    written = {section: _as_table(figures) for section, figures in measured.items()}
    known = _on_page() | written
    for section in SECTIONS:
        if section in known:
            lines += ["", f"## {section}", "", known[section]]
    return "\n".join(lines) + "\n"


def _as_table(figures: list[Figure]) -> str:
    rows = [f"| {one.what} | {one} |" for one in figures]
    return "\n".join(["| what | measured |", "|---|---|", *rows])


def _on_page() -> dict[str, str]:
    """What the page says now, by section."""
    _, *sections = MEASUREMENTS.read_text().split("\n## ")
    parts = [section.partition("\n") for section in sections]
    return {title: table.strip() for title, _, table in parts}


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


if __name__ == "__main__":
    main()
