"""Endings: the position, the notation and the automatic result after every ply of a line.

A case is `{name, fen, plies[{uci, san, fen, result}], result}`; a result is null while the game
goes on. The line is played from its FEN, ply by ply, through the product's ruleset.
"""

from shared.game.ids import Fen
from shared.game.outcome import Termination
from shared.game.refusal import Refusal
from shared.game.rulesets import RULESETS
from shared.game.table import Position
from tests.oracle.formats.format import Case, Verdict, compare
from tests.oracle.formats.perft import after

RESULTS = {
    Termination.CHECKMATE: "checkmate",
    Termination.STALEMATE: "stalemate",
    Termination.INSUFFICIENT_MATERIAL: "insufficient",
    Termination.THREEFOLD: "threefold",
    Termination.FIFTY_MOVES: "fifty",
}
"""How the files name what ends a game by itself."""
_PLY = {"uci", "san", "fen", "result"}
_RULESET = RULESETS["standard"]


class Endings:
    """Lines of standard chess with the automatic result after every ply."""

    name = "endings"

    def fits(self, case: Case) -> bool:
        """Whether it is a line with what must be true after each ply."""
        plies = case.get("plies")
        return (
            isinstance(case.get("name"), str)
            and isinstance(case.get("fen"), str)
            and "result" in case
            and "variant" not in case
            and isinstance(plies, list)
            and bool(plies)
            and all(isinstance(ply, dict) and ply.keys() >= _PLY for ply in plies)
        )

    def judge(self, case: Case, *, is_full: bool) -> Verdict:
        """The plies after which something differs."""
        _ = is_full
        position = Position(Fen(case["fen"]))
        differences: list[str] = []
        result = None
        for number, ply in enumerate(case["plies"], start=1):
            try:
                played = _RULESET.play(position, ply["uci"])
                position = after(position, ply["uci"])
                fen = _RULESET.scene(position, None).fen
            except (Refusal, ValueError) as error:
                differences.append(f"ply {number} ({ply['uci']}): {error!r}")
                break
            result = RESULTS[played.ending.termination] if played.ending else None
            for what, found in (("san", played.san), ("fen", fen), ("result", result)):
                differences += compare(f"{what} after ply {number}", ply[what], found)
        differences += compare("result in the end", case["result"], result)
        return Verdict(case["name"], tuple(differences))
