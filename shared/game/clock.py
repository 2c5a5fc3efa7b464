"""The chess clock: how long a side may think, what a move costs, and when the flag falls.

Integers of milliseconds. Knows nothing of tables; never reads the time.
"""

from dataclasses import dataclass, replace

import msgspec

from shared.game.side import Side

FIRST_PLIES = 2
FIRST_PLY_LIMIT_MS = 60_000
"""With a clock, each of the first two plies has at most this long."""


class TimeControl(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """How long each player has: in all, for one move, and what a move gives back (ms)."""

    total_ms: int | None = 900_000
    per_move_ms: int | None = 60_000
    increment_ms: int = 0

    @property
    def has_clock(self) -> bool:
        """Whether time can run out at all."""
        return self.total_ms is not None or self.per_move_ms is not None


@dataclass(frozen=True, slots=True)
class Clock:
    """What is left to each side (None: no limit in all), and since when the turn runs."""

    white_ms: int | None
    black_ms: int | None
    turn_at: int
    served_ms: int = 0
    """Server time so far: between the receipt of a move and the start of the next turn."""

    def remaining(self, side: Side) -> int | None:
        """What `side` had left when its last turn ended."""
        return self.white_ms if side is Side.WHITE else self.black_ms


def start_clock(control: TimeControl, now: int) -> Clock:
    """The clock of a game whose first turn starts at `now`."""
    return Clock(control.total_ms, control.total_ms, now)


def flag_at(clock: Clock, control: TimeControl, ply: int) -> int | None:
    """The instant at which the side on move is out of time; None where time never runs out."""
    if not control.has_clock:
        return None
    limits = [clock.remaining(Side.on_move(ply)), control.per_move_ms]
    if ply < FIRST_PLIES:
        limits.append(FIRST_PLY_LIMIT_MS)
    return clock.turn_at + min(limit for limit in limits if limit is not None)


def thought(clock: Clock, received_at: int) -> int:
    """What a move received at `received_at` took its player."""
    return max(0, received_at - clock.turn_at)


def press(clock: Clock, control: TimeControl, side: Side, *, received_at: int, now: int) -> Clock:
    """The clock after `side` moved: charged up to the receipt, the next turn starts at `now`.

    What lies between receipt and `now` is server time and charged to nobody.
    """
    think_ms = thought(clock, received_at)
    served_ms = clock.served_ms + now - clock.turn_at - think_ms
    charged = _charge(clock, side, think_ms, control.increment_ms)
    return replace(charged, turn_at=now, served_ms=served_ms)


def stop(clock: Clock, side: Side, at: int) -> Clock:
    """The clock frozen at `at`, the running turn of `side` charged up to then, never below 0."""
    return replace(_charge(clock, side, thought(clock, at), 0), turn_at=max(at, clock.turn_at))


def _charge(clock: Clock, side: Side, think_ms: int, increment_ms: int) -> Clock:
    remaining = clock.remaining(side)
    if remaining is None:
        return clock
    left = max(0, remaining - think_ms) + increment_ms
    return replace(clock, white_ms=left) if side is Side.WHITE else replace(clock, black_ms=left)
