"""What the processes of the local system keep in memory, by /proc."""

from pathlib import Path

from tests.load.figures import Figure, figure

PROC = Path("/proc")


def memory_of(root: int) -> list[Figure]:
    """The process and all that descend from it: resident, and with what is shared counted once."""
    pids = _descendants(root)
    resident = sum(_field(pid, "Rss") for pid in pids)
    proportional = sum(_field(pid, "Pss") for pid in pids)
    return [
        figure("processes of the local system", "", [float(len(pids))]),
        figure("memory, sum of resident sizes", "MB", [resident / 1024]),
        figure("memory, shared pages counted once", "MB", [proportional / 1024]),
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
