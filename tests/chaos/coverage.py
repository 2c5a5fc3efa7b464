"""What must have happened in many histories, or they prove less than they seem to."""

from collections import Counter
from typing import Final

from shared.game.outcome import Termination
from tests.chaos.handlers import NAMES
from tests.chaos.referee.words import GAME_ACTIONS
from tests.chaos.weather import FAULTS, LETTER

ACTIONS: Final = (*GAME_ACTIONS, "createTable", "joinTable")
NATURE: Final = ("open", "reload", "cut", "sleep", "absent", "close", "die", "deploy")
LATE: Final = ("lost", "late", "double")
EVENTS: Final = ("away", "back", "probed", "evicted", "rematched")
REFUSED: Final = (
    "gameOver",
    "illegalMove",
    "notYourTurn",
    "opponentLeft",
    "seatHeld",
    "stalePly",
    "tableFull",
    "tooEarly",
    "tooLate",
)


def expected() -> set[str]:
    """Everything that must have happened at least once."""
    faults = {f"fault {kind} {fault}" for kind, known in FAULTS.items() for fault in known}
    faults |= {f"fault letter {fault}" for fault in LETTER} | {"fault echo"}
    faults |= {f"fault {what} {how}" for what in ("queue", "goodbye") for how in LATE}
    faults |= {"queue batch"} | {f"fault sweep {how}" for how in ("missed", "late", "double")}
    return (
        faults
        | {f"ending {termination}" for termination in Termination}
        | {f"function {name}" for name in NAMES}
        | {f"nature {kind}" for kind in NATURE}
        | {f"event {name}" for name in EVENTS}
        | {f"act {action}" for action in ACTIONS}
        | {f"refused {code}" for code in REFUSED}
    )


def missing(counts: Counter[str]) -> list[str]:
    """What has not happened."""
    return sorted(name for name in expected() if not counts[name])
