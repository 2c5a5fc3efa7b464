"""A legal game as long as one likes, made of random moves that end nothing; always the same."""

import random

import chess


def long_game(plies: int) -> list[str]:
    """So many moves from the start position; the game is still going on after them."""
    for seed in range(1_000):
        ucis = _wander(random.Random(seed), plies)
        if len(ucis) == plies:
            return ucis
    raise ValueError(plies)


def _wander(chance: random.Random, plies: int) -> list[str]:
    board = chess.Board()
    while board.ply() < plies and not _is_over(board):
        board.push(chance.choice(list(board.legal_moves)))
    return [] if _is_over(board) else [move.uci() for move in board.move_stack]


def _is_over(board: chess.Board) -> bool:
    return board.is_game_over() or board.is_repetition(3) or board.is_fifty_moves()
