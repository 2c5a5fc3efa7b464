"""Whole games that end on the board by themselves, and beginnings of games that people played."""

import random
from dataclasses import dataclass
from functools import cache
from typing import Final

import chess

from tests.support.recorded_games import SideName, recorded_games

LONGEST_MATE: Final = 40
LONGEST_DRAW: Final = 80
KNIGHTS: Final = 100
"""Plies without a capture or a pawn's move after which a game is drawn."""


@dataclass(frozen=True, slots=True)
class Line:
    """A game from the first position to its end on the board."""

    moves: tuple[str, ...]
    termination: str
    winner: SideName | None


MATES: Final = (
    "f3 e5 g4 Qh4#",
    "e4 g5 d4 f6 Qh5#",
    "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#",
    "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#",
    "e4 c6 d4 d5 Nc3 dxe4 Nxe4 Nd7 Qe2 Ngf6 Nd6#",
    "e4 e5 Nf3 d6 Bc4 Bg4 Nc3 g6 Nxe5 Bxd1 Bxf7+ Ke7 Nd5#",
    "d4 Nf6 c4 e5 dxe5 Ng4 Bf4 Nc6 Nf3 Bb4+ Nbd2 Qe7 a3 Ngxe5 axb4 Nd3#",
    "e4 e5 Nf3 Nc6 Nc3 g6 Nd5 Nge7 Nf6#",
)
STALEMATES: Final = (
    "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6",
    "d4 d6 Qd2 e5 a4 e4 Qf4 f5 h3 Be7 Qh2 Be6 Ra3 c5 Rg3 Qa5+ Nd2 Bh4 f3 Bb3 d5 e3 c4 f4",
)
REPETITIONS: Final = (
    "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8",
    "e4 e5 Nf3 Nc6 Ng1 Nb8 Nf3 Nc6 Ng1 Nb8",
    "d4 Nf6 c4 e6 Nf3 d5 Qa4+ Qd7 Qd1 Qd8 Qa4+ Qd7 Qd1 Qd8",
)


def mates() -> tuple[Line, ...]:
    """Mates by either side, made up and played."""
    return (*map(_of, MATES), *_recorded(LONGEST_MATE, "CHECKMATE"))


def stalemates() -> tuple[Line, ...]:
    """Nobody in check and no move."""
    return tuple(map(_of, STALEMATES))


def repetitions() -> tuple[Line, ...]:
    """The same position three times."""
    return tuple(map(_of, REPETITIONS))


def dead_positions() -> tuple[Line, ...]:
    """Nobody can mate any more; long, as such games are."""
    return _recorded(LONGEST_DRAW, "INSUFFICIENT_MATERIAL")


@cache
def fifty_moves() -> Line:
    """Fifty moves of either side with nothing but knights, no position a third time."""
    dice, board = random.Random(50), chess.Board()
    while board.halfmove_clock < KNIGHTS:
        moves = [move for move in board.legal_moves if _is_quiet(board, move)]
        board.push(dice.choice(moves))
    return _line(board)


@cache
def beginnings() -> tuple[tuple[str, ...], ...]:
    """Games that people played, to be cut where one likes; none ends before its 20th ply."""
    return tuple(tuple(game.ucis) for game in recorded_games() if len(game.ucis) > 20)


@cache
def against_a_bare_king() -> tuple[str, ...]:
    """A game at whose end the side not on move can no longer mate."""
    for game in recorded_games():
        if (game.case["termination"], game.case["result"]) == ("Time forfeit", "1/2-1/2"):
            return tuple(game.ucis)
    raise LookupError


@cache
def _of(text: str) -> Line:
    board = chess.Board()
    for san in text.split():
        if board.outcome() is not None or board.is_repetition(3):
            raise ValueError(f"over before {san}: {text}")
        board.push_san(san)
    return _line(board)


def _line(board: chess.Board) -> Line:
    moves = tuple(move.uci() for move in board.move_stack)
    outcome = board.outcome()
    if outcome is not None and outcome.termination is chess.Termination.CHECKMATE:
        return Line(moves, "checkmate", "white" if outcome.winner else "black")
    if outcome is not None and outcome.termination is chess.Termination.STALEMATE:
        return Line(moves, "stalemate", None)
    if board.is_repetition(3):
        return Line(moves, "threefold", None)
    if board.halfmove_clock >= KNIGHTS:
        return Line(moves, "fiftyMoves", None)
    raise ValueError(f"no end: {moves}")


@cache
def _recorded(longest: int, termination: str) -> tuple[Line, ...]:
    """Recorded games that end so, by the record's own words."""
    return tuple(
        Line(tuple(game.ucis), game.ending.termination, game.ending.winner)
        for game in recorded_games()
        if game.case["board_termination"] == termination and len(game.ucis) <= longest
    )


def _is_quiet(board: chess.Board, move: chess.Move) -> bool:
    is_knight = board.piece_type_at(move.from_square) == chess.KNIGHT
    if not is_knight or board.is_capture(move):
        return False
    board.push(move)
    is_fresh = not board.is_repetition(3) and not board.is_check()
    board.pop()
    return is_fresh
