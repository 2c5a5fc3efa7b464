"""One history from beginning to end: what came of it, and what it takes to live it again."""

from collections import Counter
from dataclasses import dataclass

from tests.chaos.config import Config, draw_config
from tests.chaos.device import Act
from tests.chaos.fates import Fate
from tests.chaos.handlers import installed
from tests.chaos.lines import LINES, starting_from
from tests.chaos.simulation import Simulation


@dataclass(frozen=True, slots=True)
class Script:
    """A history as it is replayed: what was done, and what befell whom."""

    config: Config
    acts: list[Act]
    fates: dict[str, Fate]


@dataclass(frozen=True, slots=True)
class Told:
    """What came of a history."""

    script: Script
    counts: Counter[str]
    broken: Exception | None
    """The promise that was broken, or the bug that showed."""

    @property
    def promise(self) -> str | None:
        """The name of what is wrong; the same in a smaller history."""
        if self.broken is None:
            return None
        return str(getattr(self.broken, "promise", type(self.broken).__name__))


def live(seed: int) -> Told:
    """The history of that number."""
    return _run(Simulation(draw_config(seed)), draw_config(seed))


def live_again(script: Script) -> Told:
    """The history of that script."""
    acts = [dict(act) for act in script.acts]
    return _run(Simulation(script.config, acts, script.fates), script.config)


def _run(simulation: Simulation, config: Config) -> Told:
    broken: Exception | None = None
    with installed(), starting_from(LINES[config.line]):
        try:
            simulation.run()
        except Exception as wrong:  # noqa: BLE001 - any exception at all is what is looked for
            broken = wrong
    script = Script(config, simulation.acts, simulation.fates.drawn)
    return Told(script, simulation.counts, broken)
