"""What befalls devices and servers, whatever anybody does: cuts, sleep, reloads, deploys."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from shared.game.table import Policy
from tests.chaos.device import Act, Device
from tests.chaos.dice import Dice

KINDS: Final = {"absent": 6.0, "cut": 5.0, "sleep": 2.0, "reload": 3.0, "die": 0.4, "close": 0.4}


@dataclass(eq=False)
class Nature:
    """Strikes each device every `mean_ms` or so."""

    dice: Dice
    mean_ms: int
    do: Callable[[Act], None]
    policy: Policy
    is_resting: bool = False

    def watch(self, device: Device) -> None:
        """From now on the device is not safe."""
        wait = self.dice.stretch(max(1, self.mean_ms // 8), self.mean_ms * 4)
        device.agenda.after(wait, lambda: self._strike(device))

    def watch_servers(self, device: Device) -> None:
        """From now on there may be deploys: acts of any device will do to keep them."""
        wait = self.dice.stretch(5_000, self.mean_ms * 8)
        device.agenda.after(wait, lambda: self._deploy(device))

    def _deploy(self, device: Device) -> None:
        if not self.is_resting:
            self.do({"device": device.name, "do": "deploy"})
            self.watch_servers(device)

    def _strike(self, device: Device) -> None:
        if self.is_resting or device.is_gone:
            return
        self.do({"device": device.name, **self._blow()})
        self.watch(device)

    def _blow(self) -> Act:
        kind = self.dice.weighed(KINDS)
        if kind == "cut":
            told = self.dice.chance(0.3)
            return {"do": kind, "ms": self.dice.stretch(200, 110_000), "told": told}
        if kind == "absent":
            return {"do": kind, "ms": self._absence_ms()}
        if kind == "sleep":
            return {"do": kind, "ms": self.dice.stretch(500, 240_000)}
        return {"do": kind}

    def _absence_ms(self) -> int:
        """Now and then he is back at the very instant of his removal."""
        if self.dice.chance(0.8):
            return self.dice.stretch(1_000, 100_000)
        patience_ms = self.dice.pick([0, self.policy.patience_ms])
        return self.policy.absence_ms + patience_ms + self.dice.span(-200, 100)
