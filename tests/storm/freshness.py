"""How soon each device showed what any of them showed: within 20 s, whatever befell the others.

What befell the device itself (its socket, its network, a question that it had to ask again) puts
that off, to 20 s after it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.storm.device import Device
from tests.storm.game import Game

FRESH_S: Final = 20.0
ANSWER_S: Final = 3.0
"""For the question and its answer."""


@dataclass(frozen=True, slots=True)
class Lag:
    """A device showed `v` so long after the first did, or after it was last disturbed."""

    device: str
    v: int
    after_s: float
    undisturbed_s: float

    @property
    def is_late(self) -> bool:
        """Whether the promise is broken."""
        return self.undisturbed_s > FRESH_S + ANSWER_S


def lags(game: Game) -> list[Lag]:
    """Every `v` of the table on every device that ever showed it or a later one."""
    devices = [player.device for player in game.players]
    firsts: dict[int, float] = {}
    for device in devices:
        for v, at in _reached(device, game.meeting.table).items():
            firsts[v] = min(at, firsts.get(v, at))
    return [lag for device in devices for lag in _of(device, firsts, game.meeting.table)]


def _of(device: Device, firsts: dict[int, float], table: str | None) -> Iterator[Lag]:
    reached = _reached(device, table)
    for v, first in firsts.items():
        if v in reached:
            at = reached[v]
            since = max([first, *(one for one in device.disturbed if one <= at)])
            yield Lag(device.name, v, at - first, at - since)


def _reached(device: Device, table: str | None) -> dict[int, float]:
    """Since when it shows each `v` or a later one."""
    reached: dict[int, float] = {}
    head = 0
    for at, shown, v in device.showed:
        if shown == table and v > head:
            reached |= dict.fromkeys(range(head + 1, v + 1), at)
            head = v
    return reached
