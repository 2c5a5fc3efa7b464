"""Chance that is the same in each run: a stream of its own for every key.

What is drawn for one thing does not move what is drawn for another, so that a history from which
something is taken away stays the same in all the rest.
"""

from collections.abc import Sequence
from typing import TypeVar
from zlib import crc32

_MASK = 2**64 - 1
_Thing = TypeVar("_Thing")


class Dice:
    """A stream of chance (xorshift64*), started by a seed and a key."""

    __slots__ = ("_state",)

    def __init__(self, seed: int, key: str) -> None:
        mixed = (crc32(key.encode()) + (seed << 32) + 1) * 0x9E3779B97F4A7C15
        self._state = ((mixed ^ mixed >> 29) & _MASK) or 1

    def unit(self) -> float:
        """From 0 up to but without 1."""
        state = self._state
        state ^= state >> 12
        state ^= state << 25 & _MASK
        state ^= state >> 27
        self._state = state
        return float((state * 0x2545F4914F6CDD1D & _MASK) >> 11) / 2**53

    def chance(self, probability: float) -> bool:
        """Whether something of that probability happens."""
        return self.unit() < probability

    def span(self, low: int, high: int) -> int:
        """A whole number from `low` up to but without `high`."""
        return low + int(self.unit() * (high - low))

    def stretch(self, low: int, high: int) -> int:
        """A number between both, small ones as likely as large ones in their order of size."""
        return int(low * (high / low) ** self.unit())

    def pick(self, things: Sequence[_Thing]) -> _Thing:
        """One of them."""
        return things[int(self.unit() * len(things))]

    def weighed(self, weights: dict[_Thing, float]) -> _Thing:
        """One of the keys, each as likely as its weight."""
        left = self.unit() * sum(weights.values())
        for thing, weight in weights.items():
            left -= weight
            if left < 0:
                return thing
        return next(reversed(weights))
