"""What the processes of the local system keep in memory and how long they compute, by /proc."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.load.figures import Figure, figure

PROC = Path("/proc")
KB_PER_MB = 1024


@dataclass(frozen=True, slots=True)
class Memory:
    """A process and all that descend from it; what processes share is counted once."""

    processes: int
    all_mb: float
    root_mb: float
    resident_mb: float


def memory_of(root: int) -> Memory:
    """The memory of a process and of all that descend from it."""
    pids = family_of(root)
    return Memory(
        processes=len(pids),
        all_mb=sum(_field(pid, "Pss") for pid in pids) / KB_PER_MB,
        root_mb=_field(root, "Pss") / KB_PER_MB,
        resident_mb=sum(_field(pid, "Rss") for pid in pids) / KB_PER_MB,
    )


def private_of(pid: int) -> int:
    """KB that are the process's own."""
    return _field(pid, "Private_Clean") + _field(pid, "Private_Dirty")


def processor_s(pids: Iterable[int]) -> float:
    """Seconds that processes have computed since they were started."""
    return sum(_ticks(pid) for pid in pids) / os.sysconf("SC_CLK_TCK")


def figures_of(memory: Memory) -> list[Figure]:
    """The whole, both ways."""
    return [
        figure("processes of the local system", "", [float(memory.processes)]),
        figure("memory, sum of resident sizes", "MB", [memory.resident_mb]),
        figure("memory, shared pages counted once", "MB", [memory.all_mb]),
    ]


def family_of(root: int) -> list[int]:
    """A process and all that descend from it."""
    parents: dict[int, int] = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit() and (stat := _text(folder / "stat")):
            parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
    family = [root]
    for pid in family:
        family += [child for child, parent in parents.items() if parent == pid]
    return family


def _ticks(pid: int) -> int:
    """Of user and system time; 0 for a process that has just ended."""
    fields = _text(PROC / str(pid) / "stat").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12]) if fields else 0


def _field(pid: int, name: str) -> int:
    """That many KB; 0 for a process that has just ended."""
    for line in _text(PROC / str(pid) / "smaps_rollup").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    return 0


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
