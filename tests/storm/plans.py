"""What is to happen in each game: its moves, its last word, and how it must therefore end.

A plan knows nothing of faults: whatever befalls a game, this is its result.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from tests.storm import lines
from tests.storm.lines import Line
from tests.support.recorded_games import SideName, side_on_move

LastWord = Literal["board", "resign", "leave", "agree", "flag", "absence", "abort", "close"]
USUAL: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"totalMs": 900_000, "perMoveMs": 60_000, "incrementMs": 2_000},
    {"totalMs": 600_000, "perMoveMs": None, "incrementMs": 0},
)
QUICK_MS: Final = 14_000
"""Longer than an action takes that fails twice and is repeated: 3 s, and then 6."""
QUICK: Final[tuple[dict[str, Any], ...]] = (
    {"totalMs": 900_000, "perMoveMs": QUICK_MS, "incrementMs": 0},
    {"totalMs": 900_000, "perMoveMs": QUICK_MS, "incrementMs": 1_000},
)
LONG: Final = {"totalMs": 3_600_000, "perMoveMs": None, "incrementMs": 0}
"""Nobody runs out of it, not even before it is noticed that he has died in silence."""
SIDES: Final[tuple[SideName, SideName]] = ("white", "black")


@dataclass(frozen=True, slots=True)
class Plan:
    """One game. `by` says the last word, or is missed."""

    kind: str
    moves: tuple[str, ...]
    last_word: LastWord
    termination: str
    by: SideName = "white"
    winner: SideName | None = None
    control: dict[str, Any] | None = None
    is_claimed: bool = True
    """Whether the other side points out that a flag has fallen."""
    declined_at: int | None = None
    """The ply at which the side not on move offers a draw that is declined."""
    offered_at: frozenset[int] = frozenset()
    """The plies at which the side not on move offers a draw, while the other moves."""
    again: "Plan | None" = None
    """The next game at the same table."""

    @property
    def has_result(self) -> bool:
        """Whether it counts."""
        return self.termination not in {"aborted", "closed"}


def make_plans(number: int, seed: int) -> list[Plan]:
    """So many plans, of every kind if there are a hundred; those that take long come first."""
    dice = random.Random(f"plans/{seed}")
    dealt: list[Callable[[random.Random], Plan]] = []
    while len(dealt) < number:
        deck = [make for make, often in DECK.items() for _ in range(often)]
        dice.shuffle(deck)
        dealt += deck
    plans = [make(dice) for make in dealt[:number]]
    return sorted(plans, key=_takes_long, reverse=True)


def _takes_long(plan: Plan) -> bool:
    """Whether it is waited for, or has many moves."""
    waits = plan.last_word in {"flag", "absence"}
    return waits or len(plan.moves) > lines.LONGEST_MATE


def _on_board(find: Callable[[], Iterable[Line]]) -> Callable[[random.Random], Plan]:
    def make(dice: random.Random) -> Plan:
        line = dice.choice(tuple(find()))
        return Plan(
            line.termination,
            line.moves,
            "board",
            line.termination,
            winner=line.winner,
            control=dice.choice(USUAL) if len(line.moves) <= lines.LONGEST_MATE else LONG,
            offered_at=_in_passing(dice, line.moves),
        )

    return make


def _resigned(dice: random.Random) -> Plan:
    by = dice.choice(SIDES)
    word: LastWord = dice.choice(("resign", "resign", "resign", "leave"))
    kind = "resignation" if word == "resign" else "resignation by leaving"
    moves = _beginning(dice)
    return Plan(
        kind,
        moves,
        word,
        "resignation",
        by=by,
        winner=_other(by),
        control=dice.choice(USUAL),
        offered_at=_in_passing(dice, moves),
    )


def _agreed(dice: random.Random) -> Plan:
    return Plan(
        "agreement",
        _beginning(dice),
        "agree",
        "agreement",
        by=dice.choice(SIDES),
        control=dice.choice(USUAL),
    )


def _declined(dice: random.Random) -> Plan:
    plan = _resigned(dice)
    at = dice.randrange(2, len(plan.moves))
    kind = "resignation after a declined draw"
    return replace(plan, kind=kind, declined_at=at, offered_at=frozenset())


def _flagged(dice: random.Random) -> Plan:
    moves = _beginning(dice)
    loser = side_on_move(len(moves))
    is_claimed = dice.random() < 1 / 2
    return Plan(
        "flag claimed" if is_claimed else "flag found by a timer",
        moves,
        "flag",
        "timeForfeit",
        by=loser,
        winner=_other(loser),
        control=dice.choice(QUICK),
        is_claimed=is_claimed,
    )


def _flagged_in_vain(dice: random.Random) -> Plan:
    moves = lines.against_a_bare_king()
    loser = side_on_move(len(moves))
    return Plan(
        "flag against a bare king",
        moves,
        "flag",
        "timeForfeit",
        by=loser,
        control=dice.choice(QUICK),
    )


def _absent(dice: random.Random) -> Plan:
    by = dice.choice(SIDES)
    return Plan(
        "absence",
        _beginning(dice),
        "absence",
        "abandonment",
        by=by,
        winner=_other(by),
        control=LONG,
    )


def _aborted(dice: random.Random) -> Plan:
    moves = lines.beginnings()[0][: dice.randrange(2)]
    by = dice.choice(SIDES)
    return Plan("abort", moves, "abort", "aborted", by=by, control=dice.choice(USUAL))


def _aborted_by_time(dice: random.Random) -> Plan:
    moves = lines.beginnings()[1][: dice.randrange(2)]
    by = side_on_move(len(moves))
    return Plan("abort by time", moves, "flag", "aborted", by=by, control=dice.choice(QUICK))


def _closed(dice: random.Random) -> Plan:
    return Plan("close", (), "close", "closed", control=dice.choice(USUAL))


def _twice(dice: random.Random) -> Plan:
    first, second = (dice.choice((_on_board(lines.mates), _resigned, _agreed)) for _ in range(2))
    again = replace(second(dice), control=None)
    return replace(first(dice), kind="rematch", again=again)


def _beginning(dice: random.Random) -> tuple[str, ...]:
    return dice.choice(lines.beginnings())[: dice.randrange(3, 19)]


def _in_passing(dice: random.Random, moves: tuple[str, ...]) -> frozenset[int]:
    """Half of the games have such offers, a third of their plies."""
    if dice.random() < 1 / 2:
        return frozenset()
    return frozenset(ply for ply in range(2, len(moves)) if dice.random() < 1 / 3)


def _other(side: SideName) -> SideName:
    return "black" if side == "white" else "white"


DECK: Final[dict[Callable[[random.Random], Plan], int]] = {
    _on_board(lines.mates): 24,
    _on_board(lines.stalemates): 5,
    _on_board(lines.repetitions): 7,
    _on_board(lines.dead_positions): 1,
    _on_board(lambda: [lines.fifty_moves()]): 1,
    _resigned: 17,
    _agreed: 10,
    _declined: 5,
    _flagged: 8,
    _flagged_in_vain: 1,
    _absent: 6,
    _aborted: 4,
    _aborted_by_time: 2,
    _closed: 3,
    _twice: 6,
}
"""How often each kind comes in a hundred."""
