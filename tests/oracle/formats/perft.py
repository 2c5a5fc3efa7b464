"""Perft: how many games of n plies a position has, counted by walking the product's own moves.

A case is `{name, fen, nodes{depth}}`. Every move that `scene` lists is played with `play`, so both
must be right. Counting to depth n plays the nodes of depth n - 1 and counts the moves of the last
ply; a depth is taken while those are at most NODE_BUDGET, at a quarter of a millisecond each. The
shallowest depth of a case is always counted; `--full` counts all.
"""

from shared.game.ids import Fen
from shared.game.refusal import Refusal
from shared.game.rulesets import RULESETS
from shared.game.side import Side
from shared.game.table import Position
from tests.oracle.formats.format import Case, Verdict, compare

NODE_BUDGET = 10_000
_FOREIGN = {"variant", "identities", "hidden", "plies"}
_RULESET = RULESETS["standard"]


class Perft:
    """Node counts of standard chess."""

    name = "perft"

    def fits(self, case: Case) -> bool:
        """Whether it is a position with its node counts, in standard chess."""
        nodes = case.get("nodes")
        return (
            not _FOREIGN & case.keys()
            and isinstance(case.get("name"), str)
            and isinstance(case.get("fen"), str)
            and isinstance(nodes, dict)
            and bool(nodes)
            and all(depth.isdecimal() and isinstance(n, int) for depth, n in nodes.items())
        )

    def judge(self, case: Case, *, is_full: bool) -> Verdict:
        """The depths whose counts differ."""
        expected = {int(depth): count for depth, count in case["nodes"].items()}
        differences: list[str] = []
        try:
            for depth in range(1, max(expected) + 1):
                found = count(Position(Fen(case["fen"])), depth)
                differences += compare(f"depth {depth}", expected.get(depth, found), found)
                if found > NODE_BUDGET and depth >= min(expected) and not is_full:
                    break
        except (Refusal, ValueError) as error:
            differences.append(f"a legal move failed: {error!r}")
        return Verdict(case["name"], tuple(differences))


def count(position: Position, depth: int) -> int:
    """How many ways there are to play that many plies from the position."""
    legal = _RULESET.scene(position, _on_move(position)).legal
    if depth <= 1:
        return len(legal)
    return sum(count(after(position, uci), depth - 1) for uci in legal)


def after(position: Position, uci: str) -> Position:
    """The position one move later, kept as a table keeps it."""
    played = _RULESET.play(position, uci)
    if played.irreversible_fen is not None:
        return Position(played.irreversible_fen)
    return Position(position.fen, position.moves + played.packed)


def _on_move(position: Position) -> Side:
    first = 0 if position.fen.split()[1] == "w" else 1
    return Side.on_move(first + len(position.moves) // 2)
