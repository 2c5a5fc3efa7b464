"""A measured quantity: its median, and between what the middle half of the measurements lay."""

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
LIMIT_S = 180


@dataclass(frozen=True, slots=True)
class Figure:
    """One quantity: `what` it is, in what unit, and from how many measurements."""

    what: str
    unit: str
    median: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        """``12.3 ms (11.9 to 13.0, n=50)``; a single measurement has no spread."""
        if self.count == 1:
            return f"{self.median:,.4g} {self.unit}".strip()
        spread = f"{self.low:,.4g} to {self.high:,.4g}, n={self.count}"
        return f"{self.median:,.4g} {self.unit} ({spread})"


def figure(what: str, unit: str, values: Sequence[float]) -> Figure:
    """The figure of those measurements."""
    if len(values) == 1:
        return Figure(what, unit, values[0], values[0], values[0], 1)
    low, median, high = statistics.quantiles(values, n=4)
    return Figure(what, unit, median, low, high, len(values))


def ratio(what: str, of: Figure, to: Figure) -> Figure:
    """How many times `to` the median of `of` is."""
    value = of.median / to.median
    return Figure(what, "x", value, value, value, 1)


def give(figures: list[Figure]) -> None:
    """The figures handed to whoever started this program (see `run`)."""
    Path(sys.argv[1]).write_text(json.dumps([asdict(one) for one in figures]))


def run(module: str) -> list[Figure]:
    """The figures of a measuring program of its own; what it logs goes nowhere."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        command = [sys.executable, "-m", module, str(file)]
        done = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, timeout=LIMIT_S, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"{module} ended with {done.returncode}")
        read: list[dict[str, Any]] = json.loads(file.read_text())
    return [Figure(**one) for one in read]
