"""Whole games of random legal moves, against python-chess that remembers everything.

The table is made anew from its fields before every ply, as a function would that has never seen
it, so nothing can be right only because a process remembered it.
"""

import itertools
import random
from collections import Counter

import chess
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.game.actions.move import Move
from shared.game.clock import TimeControl, flag_at
from shared.game.outcome import Termination
from shared.game.packing import unpack_thinks
from shared.game.rulesets import RULESETS
from shared.game.side import Side
from tests.support.playing import BEGAN_AT, UNTIMED, Playing, live_table, rebuilt, set_up

STANDARD = RULESETS["standard"]
STARTS = [
    chess.STARTING_FEN,
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "8/P6k/8/8/8/8/p6K/8 b - - 0 1",
    "4k3/8/8/8/8/5n2/8/4K2R w K - 60 90",
    "rnbqkbnr/ppp1p1pp/8/3pPpP1/8/8/PPPP1P1P/RNBQKBNR w KQkq f6 0 4",
]
TEMPERS = ["any", "quiet", "special", "back"]


def choose(board: chess.Board, temper: str, rng: random.Random) -> chess.Move:
    """A legal move; quiet games shuffle, back ones repeat positions, special ones do the rare."""
    if temper == "back" and len(board.move_stack) > 1 and rng.random() < 0.7:
        last = board.move_stack[-2]
        undone = chess.Move(last.to_square, last.from_square)
        if board.is_legal(undone):
            return undone
    legal = list(board.legal_moves)
    wanted = {
        "any": legal,
        "quiet": [move for move in legal if not board.is_irreversible(move)],
        "back": legal,
        "special": [
            move
            for move in legal
            if move.promotion or board.is_castling(move) or board.is_en_passant(move)
        ],
    }[temper]
    is_patient = temper == "special" and rng.random() < 0.3
    return rng.choice(wanted if wanted and not is_patient else legal)


def key(board: chess.Board) -> str:
    """What makes two positions the same (FIDE 9.2.2): men, move, castling, usable en passant."""
    return board.fen().rsplit(" ", 2)[0]


def expected_ending(board: chess.Board, seen: Counter[str]) -> Termination | None:
    """In the order of DESIGN section 7, repetition counted by hand."""
    if board.is_checkmate():
        return Termination.CHECKMATE
    if board.is_stalemate():
        return Termination.STALEMATE
    if board.is_insufficient_material():
        return Termination.INSUFFICIENT_MATERIAL
    if seen[key(board)] >= 3:
        return Termination.THREEFOLD
    return Termination.FIFTY_MOVES if board.halfmove_clock >= 100 else None


@settings(max_examples=45, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(STARTS), st.sampled_from(TEMPERS))
def test_random_games_agree_with_a_board_that_remembers_everything(
    seed: int, fen: str, temper: str
) -> None:
    rng = random.Random(seed)
    board = chess.Board(fen)
    seen = Counter([key(board)])
    playing = Playing(set_up(live_table(UNTIMED), fen))
    start = playing.table.ply
    for _ in range(150):
        move = choose(board, temper, rng)
        san = board.san(move)
        board.push(move)
        seen[key(board)] += 1

        playing.table = rebuilt(playing.table)
        playing.move(move.uci())

        assert playing.fen == board.fen()
        assert playing.sans[-1] == san
        assert playing.table.ply - playing.table.base_ply <= board.halfmove_clock
        ending = expected_ending(board, seen)
        assert playing.ending is None or ending is not None
        if ending is not None:
            assert playing.ending is not None
            assert playing.ending[0] == ending.value
            break
        assert set(playing.legal) == {move.uci() for move in board.legal_moves}
        assert len(playing.legal) == board.legal_moves.count()
    played = STANDARD.ucis(playing.table.moves)[start:]
    assert list(played) == [move.uci() for move in board.move_stack]


def test_quiet_random_games_do_end_by_repetition_and_by_fifty_moves() -> None:
    """A guard for the test above: it would prove little if these never came."""
    endings: Counter[str] = Counter()
    for seed, temper in itertools.product(range(8), ("quiet", "back")):
        rng = random.Random(seed)
        board = chess.Board("4k3/8/8/8/8/5n2/8/4K2R w - - 80 90")
        playing = Playing(set_up(live_table(UNTIMED), board.fen()))
        while playing.ending is None:
            move = choose(board, temper, rng)
            board.push(move)
            playing.move(move.uci())
        endings[playing.ending[0]] += 1

    assert min(endings["threefold"], endings["fiftyMoves"]) >= 4


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32),
    st.builds(
        TimeControl,
        total_ms=st.none() | st.integers(30_000, 900_000),
        per_move_ms=st.none() | st.integers(5_000, 60_000),
        increment_ms=st.integers(0, 5_000),
    ),
)
def test_no_time_is_made_or_lost_over_a_whole_game(seed: int, control: TimeControl) -> None:
    """Think time and server time make up the wall time, and each clock its own side's thinking."""
    rng = random.Random(seed)
    playing = Playing.start(control)
    thinks: dict[Side, list[int]] = {side: [] for side in Side}
    for ply in range(60):
        side, clock = playing.table.on_move, playing.table.clock
        received = clock.turn_at + rng.choice([-500, 0, 7, 900, 4_321]) - BEGAN_AT
        written = max(received, clock.turn_at - BEGAN_AT) + rng.choice([0, 3, 150, 1_999])
        flag = flag_at(clock, control, ply)
        if flag is not None and BEGAN_AT + received >= flag:
            assert playing.refused(side, Move, at=received, uci=playing.legal[0]).code == "tooLate"
            break
        playing.move(rng.choice(playing.legal), at=received, written=written)
        thinks[side].append(max(0, BEGAN_AT + received - clock.turn_at))
        _check_times(playing, control, thinks)
        if playing.ending is not None:
            break
    kept = unpack_thinks(playing.table.thinks)
    taken = [thinks[Side.on_move(ply)][ply // 2] for ply in range(playing.table.ply)]
    assert all(abs(a - b) <= 5 for a, b in zip(kept, taken, strict=True))


def _check_times(playing: Playing, control: TimeControl, thinks: dict[Side, list[int]]) -> None:
    clock = playing.table.clock
    assert sum(map(sum, thinks.values())) + clock.served_ms == clock.turn_at - BEGAN_AT
    for side in Side:
        left = clock.remaining(side)
        if control.total_ms is None:
            assert left is None
        else:
            gained = control.increment_ms * len(thinks[side])
            assert left == control.total_ms - sum(thinks[side]) + gained
