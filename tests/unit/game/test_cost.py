"""What a move costs is counted in moves replayed, not in time: it must not grow with the game."""

import random
import subprocess
import sys
from pathlib import Path

import chess
import pytest

from tests.support.playing import UNTIMED, Playing, live_table

ROOT = Path(__file__).parents[3]


class Counting:
    """How often a board was built, and how often a move was made on one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pushes = 0
        self.boards = 0
        push, init = chess.Board.push, chess.Board.set_fen

        def counted_push(board: chess.Board, move: chess.Move) -> None:
            self.pushes += 1
            push(board, move)

        def counted_set_fen(board: chess.Board, fen: str) -> None:
            self.boards += 1
            init(board, fen)

        monkeypatch.setattr(chess.Board, "push", counted_push)
        monkeypatch.setattr(chess.Board, "set_fen", counted_set_fen)


def long_game(plies: int) -> Playing:
    """A random game that is at least so long, and just after an irreversible ply."""
    for seed in range(200):
        rng = random.Random(seed)
        playing = Playing(live_table(UNTIMED))
        while not playing.is_over:
            if playing.table.ply >= plies and playing.table.base_ply == playing.table.ply:
                return playing
            playing.move(rng.choice(playing.legal))
    raise AssertionError(plies)


def cost_of_a_move(playing: Playing, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    uci = playing.legal[0]
    with monkeypatch.context() as patch:
        counting = Counting(patch)
        playing.move(uci)
    return counting.pushes, counting.boards


def test_a_move_costs_the_same_in_a_game_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = {plies: cost_of_a_move(long_game(plies), monkeypatch) for plies in (4, 40, 200, 300)}

    assert {boards for _, boards in costs.values()} == {1}
    assert max(pushes for pushes, _ in costs.values()) <= 4


@pytest.mark.parametrize("plies_since", [1, 6, 20, 60])
def test_a_move_costs_the_plies_since_the_last_irreversible_one(
    monkeypatch: pytest.MonkeyPatch, plies_since: int
) -> None:
    playing = Playing.start(UNTIMED, "r3k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    base_ply = playing.table.base_ply
    rng = random.Random(plies_since)
    while playing.table.ply - base_ply < plies_since:
        quiet = [uci for uci in playing.legal if not {"a1a8", "a8a1"} & {uci}]
        playing.move(rng.choice(quiet))
        if playing.is_over or playing.table.base_ply != base_ply:
            playing = Playing.start(UNTIMED, "r3k3/8/8/8/8/8/8/R3K3 w - - 0 1")

    pushes, boards = cost_of_a_move(playing, monkeypatch)

    assert boards == 1
    assert plies_since < pushes <= plies_since + 4


@pytest.mark.parametrize(
    ("fen", "uci", "is_irreversible"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1e2", True),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "h1h2", True),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", True),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e1e2", True),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 2", "e2e3", True),
        ("4k3/8/8/8/8/8/r7/R3K3 w - - 0 2", "a1a2", True),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 2", "a1a2", False),
    ],
)
def test_every_irreversible_ply_is_a_new_beginning(
    fen: str, uci: str, *, is_irreversible: bool
) -> None:
    """A capture, a pawn's move, a castling right or an en-passant chance that is gone."""
    playing = Playing.start(UNTIMED, fen).play(uci)

    assert (playing.table.base_ply == playing.table.ply) is is_irreversible


def test_taking_and_leaving_a_seat_need_no_chess_library() -> None:
    """The functions that attach and detach start without it: it is most of their start-up."""
    program = (
        "import sys, shared.game.presence, shared.game.seating, shared.game.due, "
        "shared.game.settle; sys.exit('chess' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
