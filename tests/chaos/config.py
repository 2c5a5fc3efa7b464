"""What one history is about: who plays what, for how long, in which weather."""

from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from shared.game.table import Policy
from tests.chaos.dice import Dice
from tests.chaos.lines import LINES
from tests.chaos.weather import Weather, draw_weather

PEOPLE: Final = ("anna", "ben", "carl")
CONTROLS: Final[tuple[dict[str, Any], ...]] = (
    {"totalMs": 10_000, "perMoveMs": None, "incrementMs": 0},
    {"totalMs": 5_000, "perMoveMs": None, "incrementMs": 2_000},
    {"totalMs": None, "perMoveMs": 4_000, "incrementMs": 0},
    {"totalMs": 20_000, "perMoveMs": 8_000, "incrementMs": 1_000},
    {"totalMs": 60_000, "perMoveMs": 20_000, "incrementMs": 0},
    {"totalMs": 900_000, "perMoveMs": 60_000, "incrementMs": 0},
    {"totalMs": 3_600_000, "perMoveMs": None, "incrementMs": 0},
    {"totalMs": None, "perMoveMs": None, "incrementMs": 0},
)
HASTY: Final = CONTROLS[:5]
LEISURELY: Final = CONTROLS[4:]
"""Those in which there is time to be away, and to be removed."""
MANNERS: Final = {"brisk": 5.0, "slow": 2.0, "edgy": 2.0, "wild": 2.0}
MARATHON_MS: Final = 9_000_000
"""Longer than a socket lives: hours in which hardly anything is done."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything about a history that is settled before it begins."""

    seed: int
    devices: dict[str, int]
    """How many devices each player has."""
    control: dict[str, Any]
    line: int
    patience_ms: int
    absence_ms: int
    stormy_ms: int
    """How long faults and actions go on; then everything comes to rest."""
    gateway_skew_ms: int
    ends_alone: bool
    """Whether in the end everybody goes away; otherwise they stay, and clocks end what is live."""
    people: dict[str, str]
    """How each player plays: brisk, slow, edgy, wild, or sleepy."""
    weather: Weather

    @property
    def policy(self) -> Policy:
        """What an operator has set."""
        return Policy(self.patience_ms, self.absence_ms)


def draw_config(seed: int) -> Config:
    """The history of that number."""
    dice = Dice(seed, "config")
    names = PEOPLE[: dice.weighed({2: 3.0, 3: 1.0})]
    line = dice.span(0, len(LINES))
    is_marathon = dice.chance(0.01)
    is_hasty = not is_marathon and dice.chance(0.5)
    weather = draw_weather(dice)
    nature_ms = MARATHON_MS if is_marathon else weather.nature_ms // (1 if is_hasty else 2)
    return Config(
        seed=seed,
        devices={name: dice.weighed({1: 6.0, 2: 3.0, 5: 0.6, 6: 0.4}) for name in names},
        control=CONTROLS[-1] if is_marathon else dice.pick(HASTY if is_hasty else LEISURELY),
        line=line,
        patience_ms=dice.weighed({2_000: 6.0, 0: 1.0, 5_000: 1.0}),
        absence_ms=dice.weighed({60_000: 2.0, 10_000: 1.0}),
        stormy_ms=MARATHON_MS if is_marathon else dice.stretch(6_000, 100_000),
        gateway_skew_ms=dice.span(-12, 13),
        ends_alone=dice.chance(0.5),
        people={name: "sleepy" if is_marathon else dice.weighed(MANNERS) for name in names},
        weather=replace(weather, nature_ms=nature_ms),
    )


def dump(config: Config) -> dict[str, Any]:
    """As plain values."""
    plain: dict[str, Any] = msgspec.to_builtins(config)
    return plain


def load(plain: dict[str, Any]) -> Config:
    """As it was dumped."""
    return msgspec.convert(plain, Config)
