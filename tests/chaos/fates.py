"""What chance does to each thing that happens: drawn in a first run, told in a replay.

Everything has a default: a usual time, no fault. Only what differs is kept, under the name of the
thing it befell; so a history is replayed from what differs, and made smaller by leaving some out.
"""

from collections.abc import Callable
from typing import Any

from tests.chaos.dice import Dice

Fate = Any
"""A span in ms, or a list of a span and what goes wrong: whatever JSON can hold."""


class Fates:
    """The fates of one history."""

    def __init__(self, seed: int, told: dict[str, Fate] | None = None) -> None:
        """Draw by the seed; with `told`, only what is told differs."""
        self.seed = seed
        self.drawn: dict[str, Fate] = {} if told is None else told
        self._is_told = told is not None
        self.is_calm = False
        """Whether chance has come to rest: from now on everything is as usual."""

    def of(self, key: str, default: Fate, draw: Callable[[Dice], Fate]) -> Fate:
        """The fate of the thing of that name."""
        if self._is_told:
            return self.drawn.get(key, default)
        if self.is_calm:
            return default
        fate = draw(Dice(self.seed, key))
        if fate != default:
            self.drawn[key] = fate
        return fate
