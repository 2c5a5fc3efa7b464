"""How bad things are in one history: the chances of each kind of fault, and what they do.

Most histories see a little of everything; some only one kind, so that it has time to do its harm.
"""

from dataclasses import dataclass, replace
from typing import Final

from tests.chaos.dice import Dice
from tests.chaos.fates import Fate

USUAL_CALL_MS: Final = 4
USUAL_LINK_MS: Final = 12
USUAL_START_MS: Final = 3
USUAL_QUEUE_MS: Final = 40
USUAL_GOODBYE_MS: Final = 25

READ: Final = {"refuse": 4.0, "kill": 3.0, "hang": 0.5}
QUERY: Final = {"refuse": 3.0, "kill": 3.0, "hang": 0.5, "stale": 4.0}
WRITE: Final = {
    "refuse": 3.0,
    "lose": 4.0,
    "conflict": 4.0,
    "own": 5.0,
    "kill": 3.0,
    "die": 6.0,
    "hang": 0.5,
}
TRANSACTION: Final = {kind: weight for kind, weight in WRITE.items() if kind != "own"}
SEND: Final = {"lost": 6.0, "double": 3.0, "kill": 3.0, "die": 3.0}
POST: Final = {"kill": 4.0, "die": 3.0}
CLOSE: Final = {"lost": 2.0, "kill": 1.0, "die": 1.0}
LETTER: Final = {"lost": 5.0, "double": 2.0, "late": 4.0}
FAULTS: Final = {
    "read": READ,
    "query": QUERY,
    "write": WRITE,
    "transaction": TRANSACTION,
    "send": SEND,
    "post": POST,
    "close": CLOSE,
}
"""What may go wrong with a call of each kind, and how often compared with the others."""
OFTEN: Final = {"close": 8, "send": 2, "query": 3}
"""Kinds of call that are rare, and go wrong so much more often."""


@dataclass(frozen=True, slots=True)
class Weather:
    """Chances, each per thing it may befall."""

    slow: float = 0.3
    call: float = 0.02
    letter: float = 0.04
    link: float = 0.3
    late_start: float = 0.08
    echo: float = 0.06
    queue: float = 0.25
    goodbye: float = 0.4
    sweep: float = 0.2
    nature_ms: int = 40_000
    """How long a device is left in peace, on average."""

    def call_fate(self, kind: str, dice: Dice) -> Fate:
        """How long a call takes; where it goes wrong also how, and how long its answer takes."""
        ms = _call_ms(dice) if dice.chance(self.slow) else USUAL_CALL_MS
        if dice.chance(self.call * OFTEN.get(kind, 1)):
            return [ms, dice.weighed(FAULTS[kind]), 0]
        if dice.chance(self.slow / 4):
            return [ms, "", _call_ms(dice)]
        return ms

    def letter_fate(self, dice: Dice) -> Fate:
        """How long a letter takes to its connection; where it goes wrong also how."""
        ms = _call_ms(dice) if dice.chance(self.slow) else USUAL_CALL_MS
        if not dice.chance(self.letter):
            return ms
        kind = dice.weighed(LETTER)
        return [dice.stretch(300, 6_000) if kind == "late" else ms, kind]

    def link_ms(self, dice: Dice) -> int:
        """How long the network takes."""
        return dice.stretch(2, 250) if dice.chance(self.link) else USUAL_LINK_MS

    def start_ms(self, dice: Dice) -> int:
        """How long a function takes to start: cold ones long."""
        return dice.stretch(50, 2_500) if dice.chance(self.late_start) else USUAL_START_MS

    def echo_ms(self, dice: Dice) -> int:
        """After how long a message is sent once more; 0: it is not."""
        return dice.stretch(1, 12_000) if dice.chance(self.echo) else 0

    def queue_delays(self, dice: Dice) -> Fate:
        """How late each copy of a timer message is; none: it is lost."""
        if not dice.chance(self.queue):
            return [USUAL_QUEUE_MS]
        kind = dice.weighed({"lost": 4.0, "late": 3.0, "double": 3.0})
        if kind == "lost":
            return []
        late = dice.stretch(100, 40_000)
        return [late] if kind == "late" else [USUAL_QUEUE_MS, late]

    def batch_ms(self, dice: Dice) -> int:
        """How long a message waits for others to be one batch with."""
        return dice.stretch(5, 3_000) if dice.chance(self.queue / 3) else 0

    def goodbye_delays(self, dice: Dice) -> Fate:
        """How late each copy of a `$disconnect` is; none: it is lost."""
        if not dice.chance(self.goodbye):
            return [USUAL_GOODBYE_MS]
        kind = dice.weighed({"lost": 3.0, "late": 4.0, "double": 2.0})
        if kind == "lost":
            return []
        late = dice.stretch(100, 90_000)
        return [late] if kind == "late" else [USUAL_GOODBYE_MS, late]

    def sweep_delays(self, dice: Dice) -> Fate:
        """How late each run of a minute's sweep is; none: it is missed."""
        if not dice.chance(self.sweep):
            return [0]
        kind = dice.weighed({"missed": 2.0, "late": 3.0, "double": 4.0})
        if kind == "missed":
            return []
        late = dice.stretch(1, 20_000)
        return [late] if kind == "late" else [0, dice.stretch(1, 3_000)]


def _call_ms(dice: Dice) -> int:
    return dice.stretch(1, 60) if dice.chance(0.95) else dice.stretch(60, 3_000)


FAIR: Final = Weather(
    slow=0.0,
    call=0.0,
    letter=0.0,
    link=0.0,
    late_start=0.0,
    echo=0.0,
    queue=0.0,
    goodbye=0.0,
    sweep=0.0,
    nature_ms=10_000_000,
)
"""Nothing goes wrong."""
_ONE_KIND: Final = (
    replace(FAIR, slow=0.4, link=0.4, late_start=0.1),
    replace(FAIR, slow=0.3, call=0.08),
    replace(FAIR, slow=0.3, letter=0.25),
    replace(FAIR, slow=0.3, echo=0.3, link=0.3),
    replace(FAIR, slow=0.3, queue=0.7, sweep=0.5),
    replace(FAIR, slow=0.3, goodbye=0.7, nature_ms=15_000),
)


def draw_weather(dice: Dice) -> Weather:
    """The weather of one history."""
    kind = dice.weighed({"mixed": 6.0, "storm": 2.0, "one": 5.0, "fair": 0.5})
    if kind == "mixed":
        return Weather()
    if kind == "storm":
        return Weather(slow=0.5, call=0.06, letter=0.15, echo=0.15, queue=0.5, nature_ms=12_000)
    return dice.pick(_ONE_KIND) if kind == "one" else FAIR
