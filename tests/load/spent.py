"""Who computed for how long: the gateway, its workers, the plain echo, the clients, the others.

Processor time hardly changes when other programs want the cores too; milliseconds on a clock do.
"""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.load.figures import Figure, figure, ratio
from tests.load.memory import family_of, processor_s

CORES = os.cpu_count() or 1
IDLE_FIELDS = (3, 4)
FIELDS = 8


@dataclass(frozen=True, slots=True)
class Reading:
    """Seconds since the machine or the process was started."""

    gateway: float
    workers: float
    plain: float
    clients: float
    machine: float
    clock: float

    def since(self, before: "Reading") -> "Reading":
        """What was spent between two readings."""
        names = Reading.__slots__
        return Reading(*(getattr(self, name) - getattr(before, name) for name in names))


@dataclass(slots=True)
class Spent:
    """Processor time since this was made; given are the processes of gateway and plain echo."""

    gateway: int
    plain: int
    _before: Reading = field(init=False)

    def __post_init__(self) -> None:
        self._before = self._now()

    def figures(self, echoes: int, plain_echoes: int) -> list[Figure]:
        """An echo's share, how many that is enough for, and what others took meanwhile."""
        spent = self._now().since(self._before)
        clients = spent.clients / (echoes + plain_echoes)
        ours = figure("processor time of an echo, gateway", "ms", [spent.gateway / echoes * 1000])
        floor = figure("processor time of a plain echo", "ms", [spent.plain / plain_echoes * 1000])
        enough = CORES / (spent.gateway / echoes + spent.workers / echoes + clients)
        known = spent.gateway + spent.workers + spent.plain + spent.clients
        others = (spent.machine - known) / (spent.clock * CORES)
        return [
            ours,
            figure("processor time of an echo, worker", "ms", [spent.workers / echoes * 1000]),
            figure("processor time of an echo, client", "ms", [clients * 1000]),
            *(floor, ratio("gateway to plain echo, processor time", ours, floor)),
            figure(f"{CORES} cores' processor time is enough for, a second", "echoes", [enough]),
            figure("processor time that other programs took meanwhile", "%", [others * 100]),
        ]

    def _now(self) -> Reading:
        return Reading(
            gateway=processor_s([self.gateway]),
            workers=processor_s(family_of(self.gateway)[1:]),
            plain=processor_s([self.plain]),
            clients=time.process_time(),
            machine=_machine_s(),
            clock=time.perf_counter(),
        )


def _machine_s() -> float:
    """All but idle time of all cores."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()[1 : FIELDS + 1]
    busy = sum(int(one) for place, one in enumerate(fields) if place not in IDLE_FIELDS)
    return busy / os.sysconf("SC_CLK_TCK")
