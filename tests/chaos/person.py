"""A player: looks at what his devices show, and does something about it, at random.

He mostly plays the moves of the history's line, so that games end on the board; he also blunders,
offers, resigns, cheats, thinks past his flag and moves at the last instant.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from tests.chaos.device import Act, Device
from tests.chaos.dice import Dice
from tests.chaos.head import View
from tests.chaos.lines import Line

LAST_INSTANT_MS: Final = 16
"""A message that is sent so long before an instant is received at about that instant."""
BAD_MOVES: Final = ("e2e5", "a1a1", "zzzz", "e7e8", "h7h8k", "")
OVER: Final[dict[str | None, float]] = {
    "offerRematch": 5.0,
    "createTable": 0.7,
    "joinTable": 0.7,
    "leaveTable": 0.2,
    "move": 0.2,
    None: 3.0,
}
OFFERED: Final[dict[str | None, float]] = {
    "createTable": 0.4,
    "joinTable": 0.3,
    "declineRematch": 0.5,
    "offerRematch": 0.3,
    None: 9.0,
}
NOWHERE: Final[dict[str | None, float]] = {"createTable": 2.0, "joinTable": 6.0, None: 1.0}
WAITING: Final[dict[str | None, float]] = {
    "leaveTable": 0.15,
    "createTable": 0.15,
    "joinTable": 0.3,
    "offerDraw": 0.05,
    None: 9.0,
}
WATCHING: Final[dict[str | None, float]] = {
    "offerDraw": 0.8,
    "resign": 0.15,
    "abort": 0.2,
    "move": 0.4,
    "claimFlag": 0.4,
    "joinTable": 0.15,
    "createTable": 0.15,
    "leaveTable": 0.1,
    None: 9.0,
}
WILD: Final[dict[str | None, float]] = {
    "move": 1.0,
    "resign": 1.0,
    "abort": 1.0,
    "offerDraw": 1.0,
    "acceptDraw": 1.0,
    "declineDraw": 1.0,
    "claimFlag": 1.0,
    "offerRematch": 1.0,
    "acceptRematch": 1.0,
    "declineRematch": 1.0,
    "leaveTable": 1.0,
    "createTable": 1.0,
    "joinTable": 1.0,
    None: 40.0,
}
ANSWERS: Final[dict[str, dict[str | None, float]]] = {
    "draw": {"acceptDraw": 2.0, "declineDraw": 2.0, "offerDraw": 0.3, None: 3.0},
    "rematch": {"acceptRematch": 5.0, "declineRematch": 1.0, "offerRematch": 1.0, None: 1.0},
}


@dataclass(eq=False)
class Person:
    """One player; `do` carries an act out, and keeps it for the replay."""

    name: str
    manner: str
    devices: list[Device]
    dice: Dice
    line: Line
    control: dict[str, Any]
    do: Callable[[Act], None]
    friends: list[str]
    is_resting: bool = False
    acts: int = 0
    _planned: set[Device] = field(default_factory=set)

    def begin(self) -> None:
        """Each device is switched on, and looked at now and then."""
        for device in self.devices:
            device.agenda.after(self.dice.span(0, 1_500), partial(self._switch_on, device))

    def notice(self, device: Device) -> None:
        """A device shows something new."""
        if device not in self._planned and not self.is_resting:
            self._planned.add(device)
            device.agenda.after(self._thinks_ms(device), lambda: self._look(device))

    def _switch_on(self, device: Device) -> None:
        self.do({"device": device.name, "do": "open"})
        self._idle(device)

    def _idle(self, device: Device) -> None:
        if self.is_resting:
            return
        is_sleepy = self.manner == "sleepy"
        wait = (
            self.dice.stretch(60_000, 1_500_000) if is_sleepy else self.dice.stretch(1_500, 15_000)
        )
        device.agenda.after(wait, partial(self._look_and_idle, device))

    def _look_and_idle(self, device: Device) -> None:
        self._look(device)
        self._idle(device)

    def _look(self, device: Device) -> None:
        self._planned.discard(device)
        if self.is_resting or not device.is_fit:
            return
        act = self._choose(device.client.view)
        if act is not None:
            self.acts += 1
            action_id = f"{self.name}-{self.acts:06d}".ljust(16, "-")
            self.do({"device": device.name, "id": action_id} | act)

    # ---- how long he takes

    def _thinks_ms(self, device: Device) -> int:
        view, now = device.client.view, device.agenda.now
        flag_at: int | None = view["clock"].get("flagAt") if view and _is_turn(view) else None
        slow = 4 if self.manner == "slow" else 1
        if self.manner == "sleepy":
            return self.dice.stretch(1_000, 2_400_000)
        if flag_at is None:
            return self.dice.stretch(60, 2_500 * slow)
        kind = self.dice.weighed(
            {"soon": 8.0 / slow, "late": 0.6 * slow, "last": 7.0 if self.manner == "edgy" else 0.8}
        )
        if kind == "soon":
            return self.dice.stretch(60, 1_500)
        if kind == "late":
            return max(0, flag_at - now) + self.dice.stretch(1, 5_000)
        return max(0, flag_at - now - LAST_INSTANT_MS + self.dice.span(-12, 13))

    # ---- what he does

    def _choose(self, view: View | None) -> Act | None:
        if self.manner == "wild" and self.dice.chance(0.3):
            return self._filled(self.dice.weighed(WILD), view)
        if view is None:
            return self._filled(self.dice.weighed(NOWHERE), view)
        if view["status"] == "over":
            offer = view.get("rematchOffer")
            weights = OVER
            if offer:
                weights = OFFERED if offer["by"] == view["you"] else ANSWERS["rematch"]
            return self._filled(self.dice.weighed(weights), view)
        if view["status"] != "live":
            return self._filled(self.dice.weighed(WAITING), view)
        return self._play(view)

    def _play(self, view: View) -> Act | None:
        offer = view.get("drawOffer")
        if offer and offer["by"] != view["you"] and self.dice.chance(0.6):
            return self._filled(self.dice.weighed(ANSWERS["draw"]), view)
        if _is_turn(view) and self.dice.chance(0.93):
            return {"do": "move", "uci": self._move(view)}
        return self._filled(self.dice.weighed(WATCHING), view)

    def _filled(self, action: str | None, view: View | None) -> Act | None:
        """The action with what it needs; what cannot be asked for here is left."""
        if action is None:
            return None
        if action == "createTable":
            colour = self.dice.pick(["white", "black", "random"])
            return {"do": action, "timeControl": self.control, "colour": colour}
        if action == "joinTable":
            code = "nobody" if self.dice.chance(0.05) else self.dice.pick(self.friends)
            return {"do": action, "code": code}
        if view is None:
            return None
        act: Act = {"do": action}
        if action == "move":
            act["uci"] = self._move(view)
        if self.dice.chance(0.03):
            act["ply"] = max(0, view["ply"] + self.dice.pick([-2, -1, 1]))
        if self.dice.chance(0.02):
            act["game"] = max(1, view["game"] + self.dice.pick([-1, 1]))
        return act

    def _move(self, view: View) -> str:
        played = tuple(view.get("moves", ()))
        is_on_line = self.line.moves[: len(played)] == played and len(played) < len(self.line.moves)
        if is_on_line and self.dice.chance(0.93):
            return self.line.moves[len(played)]
        if self.dice.chance(0.05):
            return self.dice.pick(BAD_MOVES)
        legal: list[str] = view.get("legal") or ["e2e4"]
        return self.dice.pick(legal)


def _is_turn(view: View) -> bool:
    return bool(view["status"] == "live" and (view["ply"] % 2 == 0) == (view["you"] == "white"))
