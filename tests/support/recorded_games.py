"""Recorded games as score sheets: when each move is made, and what must then be seen.

The record cuts times to whole seconds, so half a second is added to each, the initial clock
included; the limit per move is off. A site may let the first moves go uncharged after halving a
clock: there the move takes nothing, and the clock is set to its reading from outside.
Positions and moves in words are python-chess's own, not the product's.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import chess

GAMES = Path(__file__).parents[1] / "data" / "games_with_clocks.json"
HALF_A_SECOND_MS = 500
FIRST_PLIES_MS = 60_000
LAST_THINK_MS = 250
"""How long the side on move has thought when somebody resigns or agrees."""
SideName = Literal["white", "black"]
LastWord = Literal["board", "resign", "agree", "flag"]
_ON_THE_BOARD = {
    "CHECKMATE": "checkmate",
    "STALEMATE": "stalemate",
    "INSUFFICIENT_MATERIAL": "insufficientMaterial",
}


def side_on_move(ply: int) -> SideName:
    """Who makes the move after `ply` half-moves."""
    return "white" if ply % 2 == 0 else "black"


@dataclass(frozen=True, slots=True)
class Left:
    """What is left to each side (ms)."""

    white: int
    black: int

    def of(self, side: SideName) -> int:
        """What is left to `side`."""
        return self.white if side == "white" else self.black

    def with_(self, side: SideName, ms: int) -> "Left":
        """The same with `ms` left to `side`."""
        return Left(ms, self.black) if side == "white" else Left(self.white, ms)


@dataclass(frozen=True, slots=True)
class Turn:
    """One move: made `at` so long after play began, and everything that is seen of it."""

    ply: int
    uci: str
    san: str
    fen: str
    is_check: bool
    legal: frozenset[str]
    at: int
    think_ms: int
    left: Left
    clock_set: int | None
    """What the site set the mover's clock to afterwards."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the game ends, and `at` what instant since play began."""

    last_word: LastWord
    termination: str
    result: str
    at: int
    left: Left

    @property
    def winner(self) -> SideName | None:
        """Who won."""
        return {"1-0": "white", "0-1": "black"}.get(self.result)  # type: ignore[return-value]


class RecordedGame:
    """A game of the file."""

    def __init__(self, case: dict[str, Any]) -> None:
        """Keep the case as it is in the file."""
        self.case = case
        self.id: str = case["id"]
        self.ucis: list[str] = case["uci"].split()
        self.increment_ms: int = case["increment_s"] * 1000
        self.total_ms: int = case["initial_s"] * 1000 + HALF_A_SECOND_MS

    @cached_property
    def turns(self) -> list[Turn]:
        """Every move."""
        return list(self._turns())

    @cached_property
    def ending(self) -> Ending:
        """The end of the game."""
        last = self.turns[-1]
        left = last.left
        if last.clock_set is not None:
            left = left.with_(side_on_move(last.ply), last.clock_set)
        on_move = side_on_move(len(self.turns))
        word, termination = self._last_word()
        if word == "board":
            return Ending(word, termination, self.case["result"], last.at, left)
        think_ms = left.of(on_move) if word == "flag" else LAST_THINK_MS
        left = left.with_(on_move, left.of(on_move) - think_ms)
        return Ending(word, termination, self.case["result"], last.at + think_ms, left)

    def _last_word(self) -> tuple[LastWord, str]:
        on_board = self.case["board_termination"]
        if on_board is not None:
            return "board", _ON_THE_BOARD[on_board]
        if self.case["termination"] == "Time forfeit":
            return "flag", "timeForfeit"
        if self.case["result"] != "1/2-1/2":
            return "resign", "resignation"
        board = chess.Board()
        for uci in self.ucis:
            board.push_uci(uci)
        if board.is_repetition(3):  # what the players claimed there comes by itself here
            return "board", "threefold"
        return ("board", "fiftyMoves") if board.is_fifty_moves() else ("agree", "agreement")

    def _turns(self) -> Iterator[Turn]:
        board, at = chess.Board(), 0
        left = Left(self.total_ms, self.total_ms)
        for ply, (uci, reading_s) in enumerate(
            zip(self.ucis, self.case["clock_s_after"], strict=True)
        ):
            side = side_on_move(ply)
            reading_ms = reading_s * 1000 + HALF_A_SECOND_MS
            think_ms = self._think(ply, left.of(side), reading_ms)
            at += think_ms
            left = left.with_(side, left.of(side) - think_ms + self.increment_ms)
            san = board.san(chess.Move.from_uci(uci))
            board.push_uci(uci)
            is_set = left.of(side) != reading_ms
            yield Turn(
                ply=ply,
                uci=uci,
                san=san,
                fen=board.fen(),
                is_check=board.is_check(),
                legal=frozenset(move.uci() for move in board.legal_moves),
                at=at,
                think_ms=think_ms,
                left=left,
                clock_set=reading_ms if is_set else None,
            )
            left = left.with_(side, reading_ms)

    def _think(self, ply: int, left_ms: int, reading_ms: int) -> int:
        think_ms = left_ms + self.increment_ms - reading_ms
        is_uncharged = ply < 2 and think_ms >= FIRST_PLIES_MS
        return 0 if think_ms < 0 or is_uncharged else think_ms


def recorded_games() -> list[RecordedGame]:
    """All games of the file."""
    return [RecordedGame(case) for case in json.loads(GAMES.read_text())]
