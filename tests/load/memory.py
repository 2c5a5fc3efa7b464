"""What the processes of the local system keep in memory, by /proc."""

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
    pids = _descendants(root)
    return Memory(
        processes=len(pids),
        all_mb=sum(_field(pid, "Pss") for pid in pids) / KB_PER_MB,
        root_mb=_field(root, "Pss") / KB_PER_MB,
        resident_mb=sum(_field(pid, "Rss") for pid in pids) / KB_PER_MB,
    )


def private_of(pid: int) -> int:
    """KB that are the process's own."""
    return _field(pid, "Private_Clean") + _field(pid, "Private_Dirty")


def figures_of(memory: Memory) -> list[Figure]:
    """The whole, both ways."""
    return [
        figure("processes of the local system", "", [float(memory.processes)]),
        figure("memory, sum of resident sizes", "MB", [memory.resident_mb]),
        figure("memory, shared pages counted once", "MB", [memory.all_mb]),
    ]


def _descendants(root: int) -> list[int]:
    parents: dict[int, int] = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit() and (stat := _text(folder / "stat")):
            parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
    family = [root]
    for pid in family:
        family += [child for child, parent in parents.items() if parent == pid]
    return family


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
