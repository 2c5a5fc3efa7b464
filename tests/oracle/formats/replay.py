"""A recorded game played anew, each move received when it leaves the recorded time.

A move takes what the clock loses between two readings of its side, the increment counted in. Two
things that a site does and this clock does not are taken into account, and noted: it may let the
first moves go uncharged after halving a clock (more than the first plies' 60 s), and it may give
time (a reading above what no thinking at all leaves). There the move takes nothing, and the clock
is set to its reading by hand. Between receipt and writing lies a gap of up to 1.9 s, another one
each time, which nobody may be charged.
"""

from dataclasses import dataclass, field, replace

from shared.game.clock import TimeControl
from shared.game.packing import unpack_thinks
from shared.game.side import Side
from tests.oracle.formats.format import compare
from tests.support.playing import BEGAN_AT, Playing

HALF_A_SECOND_MS = 500
FIRST_PLIES_MS = 60_000
LONGEST_GAP_MS = 1_900


@dataclass(slots=True)
class Replay:
    """A game under way, and what must be left to each side by the record."""

    playing: Playing
    increment_ms: int
    left: dict[Side, int]
    thinks: list[int] = field(default_factory=list)
    is_adjusted: bool = False

    @classmethod
    def begin(cls, initial_s: int, increment_s: int) -> "Replay":
        """The game at its first turn, the limit per move off."""
        total_ms = initial_s * 1000 + HALF_A_SECOND_MS
        control = TimeControl(total_ms=total_ms, per_move_ms=None, increment_ms=increment_s * 1000)
        return cls(Playing.start(control), control.increment_ms, dict.fromkeys(Side, total_ms))

    @property
    def turn_at(self) -> int:
        """When the running turn started, since play began."""
        return self.playing.table.clock.turn_at - BEGAN_AT

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be taken into account."""
        return ("a clock set by the site",) if self.is_adjusted else ()

    def run(self, ucis: list[str], clock_s_after: list[int]) -> list[str]:
        """Every move of the record; where the product's clock or course differs. Raises Refusal."""
        differences: list[str] = []
        for ply, (uci, reading_s) in enumerate(zip(ucis, clock_s_after, strict=True)):
            if self.playing.is_over:
                return [*differences, f"over by {self.playing.ending} after {ply} of {len(ucis)}"]
            differences += self._turn(ply, uci, reading_s * 1000 + HALF_A_SECOND_MS)
        return differences + self._times()

    def _turn(self, ply: int, uci: str, reading_ms: int) -> list[str]:
        side = Side.on_move(ply)
        think_ms = self._think(ply, self.left[side], reading_ms)
        received = self.turn_at + think_ms
        self.playing.tick(received)
        self.playing.move(uci, at=received, written=received + _gap(ply))
        self.thinks.append(think_ms)
        expected = self.left[side] - think_ms + self.increment_ms
        found = self.playing.table.clock.remaining(side)
        self.left[side] = reading_ms
        if expected != reading_ms:
            self._set_clock(side, reading_ms)
        return compare(f"clock of {side} after ply {ply + 1}", expected, found)

    def _think(self, ply: int, left_ms: int, reading_ms: int) -> int:
        think_ms = left_ms + self.increment_ms - reading_ms
        is_first = ply in (0, 1)
        return 0 if think_ms < 0 or (is_first and think_ms >= FIRST_PLIES_MS) else think_ms

    def _set_clock(self, side: Side, left_ms: int) -> None:
        self.is_adjusted = True
        table, clock = self.playing.table, self.playing.table.clock
        is_white = side is Side.WHITE
        changed = replace(clock, white_ms=left_ms) if is_white else replace(clock, black_ms=left_ms)
        self.playing.table = replace(table, clock=changed)

    def _times(self) -> list[str]:
        """Think times are kept as they were, and with server time they make up the wall time."""
        clock = self.playing.table.clock
        wall_ms = sum(self.thinks) + clock.served_ms
        return [
            *compare("think times", self.thinks, unpack_thinks(self.playing.table.thinks)),
            *compare("wall time", clock.turn_at - BEGAN_AT, wall_ms),
        ]


def _gap(ply: int) -> int:
    return (7 + 331 * ply) % LONGEST_GAP_MS
