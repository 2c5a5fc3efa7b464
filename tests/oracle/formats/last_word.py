"""What ends a recorded game after its last ply, done in two ways, and how it must then stand.

On the board: nothing is left to do. Normal without a board termination: the loser resigns (by the
one way) or leaves (by the other), or the draw is offered by the side on move or by the other.
Time forfeit: the side on move answers no more, and the verdict is written by the timer or by the
opponent's claim, in either case not before patience is over.
"""

from shared.game.actions.claim_flag import ClaimFlag
from shared.game.actions.draw import AcceptDraw, OfferDraw
from shared.game.actions.leave_table import LeaveTable
from shared.game.actions.move import Move
from shared.game.actions.resign import Resign
from shared.game.outcome import Termination
from shared.game.refusal import Refusal, TooEarly, TooLate
from shared.game.side import Side
from tests.oracle.formats.format import Case, compare
from tests.oracle.formats.replay import FIRST_PLIES_MS, Replay
from tests.support.playing import Playing

BY_TIMER = "by timer"
BY_CLAIM = "by claim"
LAST_THINK_MS = 250
"""How long the side on move has thought when somebody resigns or agrees."""
PATIENCE_MS = 2_000

ON_THE_BOARD = {
    "CHECKMATE": Termination.CHECKMATE,
    "STALEMATE": Termination.STALEMATE,
    "INSUFFICIENT_MATERIAL": Termination.INSUFFICIENT_MATERIAL,
    "THREEFOLD_REPETITION": Termination.THREEFOLD,
    "FIFTY_MOVES": Termination.FIFTY_MOVES,
}
_CLAIMED_THERE = {Termination.THREEFOLD, Termination.FIFTY_MOVES}
_LOSERS = {"1-0": Side.BLACK, "0-1": Side.WHITE}


def expected_termination(case: Case, replay: Replay) -> str:
    """What the product must call the end of the game, by what the record calls it."""
    board_termination = case["board_termination"]
    if case["termination"] == "Time forfeit" and board_termination is None:
        return Termination.TIME_FORFEIT.value
    if case["termination"] != "Normal":
        raise ValueError(case["termination"])
    if board_termination is not None:
        return ON_THE_BOARD[board_termination].value
    if case["result"] in _LOSERS:
        return Termination.RESIGNATION.value
    outcome = replay.playing.table.outcome
    if outcome is not None and outcome.termination in _CLAIMED_THERE:
        # A draw that its players claimed, which here comes by itself: the record shows no more.
        return outcome.termination.value
    return Termination.AGREEMENT.value


def say_last_word(case: Case, replay: Replay, way: str) -> list[str]:
    """The game ended as the record says it was, if the board has not; what went otherwise."""
    playing = replay.playing
    if playing.is_over or case["board_termination"] is not None:
        return []
    if case["termination"] == "Time forfeit":
        return _run_out(replay, way)
    at = replay.turn_at + LAST_THINK_MS
    replay.left[playing.table.on_move] -= LAST_THINK_MS
    loser = _LOSERS.get(case["result"])
    if loser is not None:
        playing.act(loser, Resign if way == BY_TIMER else LeaveTable, at=at)
    else:
        offerer = playing.table.on_move if way == BY_TIMER else playing.table.on_move.other
        playing.act(offerer, OfferDraw, at=at)
        playing.act(offerer.other, AcceptDraw, at=at, v=playing.table.v)
    return []


def _run_out(replay: Replay, way: str) -> list[str]:
    """The side on move lets its time run out, and sits there."""
    playing, flagged = replay.playing, replay.playing.table.on_move
    limit_ms = replay.left[flagged]
    if playing.table.ply in (0, 1):
        limit_ms = min(limit_ms, FIRST_PLIES_MS)
    flag = replay.turn_at + limit_ms
    differences = _around_the_flag(playing, flag)
    write = _tick if way == BY_TIMER else _claim
    write(playing, flag + PATIENCE_MS - 1)
    if playing.is_over:
        differences.append("the flag was judged before patience was over")
    write(playing, flag + PATIENCE_MS)
    replay.left[flagged] = 0
    dated = playing.ended_at if playing.is_over else None
    return differences + compare("instant of the flag", flag, dated)


def _around_the_flag(playing: Playing, flag: int) -> list[str]:
    """A move is in time one millisecond before the fall of the flag, and too late at it."""
    return [
        *compare("a move at the flag", TooLate.code, _tried(playing, flag)),
        *compare("a move 1 ms before the flag", None, _tried(playing, flag - 1)),
    ]


def _tried(playing: Playing, at: int) -> str | None:
    """The code with which a legal move would be refused then; the game stays where it is."""
    attempt = Playing(playing.table, at=playing.at, sent=playing.sent)
    try:
        attempt.act(attempt.table.on_move, Move, at=at, uci=attempt.legal[0])
    except Refusal as refusal:
        return refusal.code
    return None


def _tick(playing: Playing, at: int) -> None:
    playing.tick(at)


def _claim(playing: Playing, at: int) -> None:
    try:
        playing.act(playing.table.on_move.other, ClaimFlag, at=at)
    except TooEarly:
        return
