"""Games with clocks: real games, played anew through `decide` and timed by the product's clock.

A case is `{id, initial_s, increment_s, uci, clock_s_after[], result, termination,
board_termination, final_fen, final_turn, can_mate{}}`. The record cuts times to whole seconds, so
half a second is added to each of them, the initial clock included; replay.py derives from that
when each move is received. The limit per move is off. A game is played twice: once what happens
after the last ply is written by the timer, once it is asked for by the players.
"""

from shared.game.refusal import Refusal
from shared.game.rulesets import RULESETS
from shared.game.side import Side
from tests.oracle.formats.format import Case, Verdict, compare
from tests.oracle.formats.last_word import BY_CLAIM, BY_TIMER, expected_termination, say_last_word
from tests.oracle.formats.replay import Replay
from tests.support.playing import Playing

_FIELDS: dict[str, type | tuple[type, ...]] = {
    "id": str,
    "initial_s": int,
    "increment_s": int,
    "uci": (str, list),
    "clock_s_after": list,
    "result": str,
    "termination": str,
    "final_fen": str,
    "final_turn": str,
    "can_mate": dict,
}


class ClockedGames:
    """Whole games of standard chess with the time left after every ply."""

    name = "games with clocks"

    def fits(self, case: Case) -> bool:
        """Whether it is a game with a clock reading for every ply."""
        return (
            "board_termination" in case
            and all(isinstance(case.get(name), kind) for name, kind in _FIELDS.items())
            and all(isinstance(reading, int) for reading in case["clock_s_after"])
            and len(_moves(case)) == len(case["clock_s_after"])
        )

    def judge(self, case: Case, *, is_full: bool) -> Verdict:
        """Where the game ends otherwise than it did, or leaves other clocks."""
        _ = is_full
        differences: list[str] = []
        notes: tuple[str, ...] = ()
        for way in (BY_TIMER, BY_CLAIM):
            replay = Replay.begin(case["initial_s"], case["increment_s"])
            differences += [f"{way}: {line}" for line in _judge(case, replay, way)]
            notes = replay.notes
        return Verdict(case["id"], tuple(differences), notes)


def _moves(case: Case) -> list[str]:
    moves = case["uci"]
    return moves.split() if isinstance(moves, str) else moves


def _judge(case: Case, replay: Replay, way: str) -> list[str]:
    """The game replayed to its end and beyond."""
    try:
        differences = replay.run(_moves(case), case["clock_s_after"])
        differences += _compare_position(case, replay.playing)
        differences += say_last_word(case, replay, way)
        return differences + _compare_ending(case, replay)
    except (Refusal, ValueError, KeyError) as error:
        return [f"after {replay.playing.table.ply} plies: {error!r}"]


def _compare_position(case: Case, playing: Playing) -> list[str]:
    table = playing.table
    can_mate = {side.value: RULESETS[table.ruleset].can_mate(table.position, side) for side in Side}
    return [
        *compare("final position", case["final_fen"], playing.fen),
        *compare("side on move", case["final_turn"], table.on_move.value),
        *compare("who can mate", case["can_mate"], can_mate),
    ]


def _compare_ending(case: Case, replay: Replay) -> list[str]:
    expected = (expected_termination(case, replay), case["result"])
    return [
        *compare("termination and result", expected, replay.playing.ending),
        *compare("clocks", tuple(replay.left[side] for side in Side), replay.playing.clocks),
    ]
