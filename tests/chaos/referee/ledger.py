"""The referee's own book of one table: what was written when, and the clocks as they must be."""

from dataclasses import dataclass, field

from shared.game.clock import TimeControl
from shared.game.ids import PlayerId
from shared.game.side import Side
from shared.game.table import Policy, Seat, Status, Table
from shared.service.ports import TableWrite
from tests.chaos.process import Process
from tests.support.fakes import Memory

FIRST_PLY_MS = 60_000


@dataclass(slots=True)
class Clockwork:
    """Clocks kept by hand: what each side has left, and where all the time went."""

    control: TimeControl
    began_at: int
    turn_at: int
    left: dict[Side, int | None]
    thought_ms: int = 0
    served_ms: int = 0

    def flag_at(self, ply: int) -> int | None:
        """When the side on move is out of time."""
        limits = [self.left[Side.on_move(ply)], self.control.per_move_ms]
        known = [limit for limit in limits if limit is not None]
        if not known:
            return None
        return self.turn_at + min([*known, FIRST_PLY_MS] if ply < 2 else known)


@dataclass(slots=True)
class Timer:
    """The armed timer, and whether anything went wrong with it."""

    at: int
    armed_by: Process
    is_troubled: bool = False


@dataclass(slots=True)
class Ledger:
    """One table, as it was written, write by write."""

    table: Table
    clockwork: Clockwork | None = None
    by_v: dict[int, Table] = field(default_factory=dict)
    """The table as it was when each `v` was the head, for the last time."""
    written_at: dict[int, int] = field(default_factory=dict)
    """When each `v` became the head."""
    done: dict[tuple[PlayerId, bytes], tuple[int, Process | None]] = field(default_factory=dict)
    """When each action took effect, and by whom."""
    over_at: list[int] = field(default_factory=list)
    results: int = 0
    healed_at: int = 0
    """When a copy was last answered by showing everybody the head."""
    heard: dict[PlayerId, int] = field(default_factory=dict)
    """When each player last asked `sync`, or played, and nothing went wrong with it."""
    versions: list[tuple[int, Table]] = field(default_factory=list)
    """Every write of the table, and when."""
    probed: dict[PlayerId, int] = field(default_factory=dict)
    """When it was last written that a player is asked whether he is there."""
    timer: Timer | None = None

    def since(self, instant: int) -> list[Table]:
        """The table as it stood then, and after every write since."""
        found: list[Table] = []
        for at, table in reversed(self.versions):
            found.append(table)
            if at < instant:
                break
        return found


@dataclass(frozen=True, slots=True)
class Written:
    """One write, by whom and when, and what is known of the table."""

    write: TableWrite
    before: Table
    after: Table
    process: Process
    now: int
    """The instant of the write."""
    policy: Policy
    memory: Memory
    ledger: Ledger

    @property
    def clock(self) -> int:
        """What the writer's own clock says: nothing it writes may lie after that."""
        return self.now + self.process.skew_ms

    @property
    def latest(self) -> int:
        """The latest instant that the writer can have taken for now."""
        return max(self.clock, self.process.cause.received_at, self.before.clock.turn_at)

    @property
    def began(self) -> int:
        """The earliest instant that the writer can have taken for now."""
        return self.process.started_at + self.process.skew_ms

    @property
    def is_move(self) -> bool:
        """Whether a move was played."""
        return self.after.game == self.before.game and self.after.ply != self.before.ply

    @property
    def begins(self) -> bool:
        """Whether play begins with it."""
        is_new = self.before.status is not Status.LIVE or self.after.game != self.before.game
        return self.after.status is Status.LIVE and is_new

    @property
    def ends(self) -> bool:
        """Whether the table is over with it."""
        return self.after.status is Status.OVER and self.before.status is not Status.OVER

    def seats(self) -> list[tuple[PlayerId, Seat, Seat]]:
        """Each player with his seat before and after; a rematch swaps the sides."""
        found = []
        for side in Side:
            seat = self.after.seat(side)
            if seat.player_id is not None:
                was = self.before.side_of(seat.player_id)
                before = self.before.seat(was) if was else Seat()
                found.append((seat.player_id, before, seat))
        return found
