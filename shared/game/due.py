"""What time alone will bring about at a table, and when: pure arithmetic on its state.

DESIGN section 4. A message or a sweep is only a wake-up; this is what it finds.
"""

from dataclasses import dataclass
from enum import Enum, auto

from shared.game.clock import flag_at
from shared.game.side import Side
from shared.game.table import Policy, Status, Table

AWAY_TOLD_AFTER_MS = 3_000
PROBE_AFTER_MS = 45_000
PROBE_WAITING_PRIVATE_AFTER_MS = 300_000
PROBE_ANSWER_MS = 15_000
SEATING_MS = 300_000
UNTIMED_MS = 1_800_000
MAKER_AWAY_PUBLIC_MS = 60_000
MAKER_AWAY_PRIVATE_MS = 900_000


class Matter(Enum):
    """What falls due."""

    FLAG = auto()
    REMOVAL = auto()
    IDLE = auto()
    """Nobody has moved in a game without clocks."""
    CLOSE = auto()
    """The maker stays away, or play does not begin."""
    TELL_AWAY = auto()
    PROBE = auto()
    PROBE_FAILED = auto()


VERDICTS = frozenset({Matter.FLAG, Matter.REMOVAL, Matter.IDLE})


@dataclass(frozen=True, slots=True)
class Due:
    """Something due `at` an instant, and the side it is about. Verdicts wait for patience."""

    at: int
    matter: Matter
    side: Side | None = None

    def written_from(self, policy: Policy) -> int:
        """The first instant at which it may be written."""
        return self.at + policy.patience_ms if self.matter in VERDICTS else self.at


def dues(table: Table, policy: Policy) -> list[Due]:
    """Everything that would happen if nobody did anything, in order of its instant."""
    match table.status:
        case Status.WAITING:
            found = _waiting(table)
        case Status.SEATED:
            found = [Due(table.since + SEATING_MS, Matter.CLOSE)]
        case Status.LIVE:
            found = _live(table, policy)
        case Status.OVER:
            found = []
    return sorted(found, key=lambda due: (due.at, due.matter.value))


def next_wake(table: Table, policy: Policy) -> int | None:
    """When a timer has to look at this table; None: never."""
    return min((due.written_from(policy) for due in dues(table, policy)), default=None)


def removal_at(table: Table, side: Side, policy: Policy) -> int | None:
    """When `side` is removed for its absence; none while it, or nobody, is there."""
    seat = table.seat(side)
    if table.status is not Status.LIVE or seat.away_since is None:
        return None
    return None if table.seat(side.other).is_away else seat.away_since + policy.absence_ms


def _waiting(table: Table) -> list[Due]:
    side = Side.WHITE if table.white.player_id else Side.BLACK
    seat = table.seat(side)
    if seat.away_since is not None:
        grace = MAKER_AWAY_PUBLIC_MS if table.is_public else MAKER_AWAY_PRIVATE_MS
        return [Due(seat.away_since + grace, Matter.CLOSE, side)]
    every = PROBE_AFTER_MS if table.is_public else PROBE_WAITING_PRIVATE_AFTER_MS
    return [_probing(table, side, every)]


def _live(table: Table, policy: Policy) -> list[Due]:
    found = [_out_of_time(table)]
    for side in Side:
        seat = table.seat(side)
        removed_at = removal_at(table, side, policy)
        if removed_at is not None:
            found.append(Due(removed_at, Matter.REMOVAL, side))
        if seat.away_since is None:
            found.append(_probing(table, side, PROBE_AFTER_MS))
        elif not seat.is_away_told:
            found.append(Due(seat.away_since + AWAY_TOLD_AFTER_MS, Matter.TELL_AWAY, side))
    return found


def _out_of_time(table: Table) -> Due:
    flag = flag_at(table.clock, table.time_control, table.ply)
    if flag is None:
        return Due(table.clock.turn_at + UNTIMED_MS, Matter.IDLE)
    return Due(flag, Matter.FLAG, table.on_move)


def _probing(table: Table, side: Side, every_ms: int) -> Due:
    seat = table.seat(side)
    if seat.probed_at is None:
        return Due(seat.heard_at + every_ms, Matter.PROBE, side)
    return Due(seat.probed_at + PROBE_ANSWER_MS, Matter.PROBE_FAILED, side)
