"""Standard chess: the FIDE Laws on python-chess.

Boards are built from the last irreversible position and the moves since, so repetition is exact
in any process and the cost of a move does not grow with the game. Only calls that look at what
has happened are used: the `claim_draw` variants fire one ply early.
"""

import re

import chess

from shared.game.ids import Fen, San, Uci
from shared.game.outcome import Termination
from shared.game.packing import pack_move, unpack_moves
from shared.game.refusal import IllegalMove
from shared.game.rulesets.ruleset import Ending, Played, Scene
from shared.game.side import Side
from shared.game.table import Position

SQUARES = 64
_UCI = re.compile(r"([a-h][1-8])([a-h][1-8])([a-zA-Z]?)")
_PROMOTIONS = {"n": chess.KNIGHT, "b": chess.BISHOP, "r": chess.ROOK, "q": chess.QUEEN}
_TO_CHESS = {Side.WHITE: chess.WHITE, Side.BLACK: chess.BLACK}


class Standard:
    """The standard game."""

    name = "standard"

    def start_fen(self) -> Fen:
        """The initial position."""
        return Fen(chess.STARTING_FEN)

    def play(self, position: Position, uci: str) -> Played:
        """The move, judged and played. Raises IllegalMove with its reason."""
        board = _board(position)
        move = _legal_move(board, uci)
        san = San(board.san(move))
        is_irreversible = board.is_irreversible(move)
        board.push(move)
        return Played(
            packed=pack_move(move.from_square, move.to_square, (move.promotion or 1) - 1, SQUARES),
            uci=Uci(move.uci()),
            san=san,
            irreversible_fen=Fen(board.fen()) if is_irreversible else None,
            ending=_ending(board),
        )

    def can_mate(self, position: Position, side: Side) -> bool:
        """Whether `side` can still mate with its material (FIDE 6.9, DESIGN D2)."""
        return not _board(position).has_insufficient_material(_TO_CHESS[side])

    def scene(self, position: Position, viewer: Side | None) -> Scene:
        """The whole board: standard chess hides nothing; legal moves for the side on move."""
        board = _board(position)
        is_turn = viewer is not None and board.turn == _TO_CHESS[viewer]
        legal = tuple(Uci(move.uci()) for move in board.legal_moves) if is_turn else ()
        return Scene(Fen(board.fen()), board.is_check(), legal)

    def ucis(self, packed: bytes) -> tuple[Uci, ...]:
        """The packed moves of a game as text, from its first ply."""
        return tuple(Uci(_move(*code).uci()) for code in unpack_moves(packed, SQUARES))


def _board(position: Position) -> chess.Board:
    board = chess.Board(position.fen)
    for code in unpack_moves(position.moves, SQUARES):
        board.push(_move(*code))
    return board


def _move(origin: int, target: int, promotion: int) -> chess.Move:
    return chess.Move(origin, target, promotion + 1 if promotion else None)


def _legal_move(board: chess.Board, uci: str) -> chess.Move:
    match = _UCI.fullmatch(uci)
    if match is None:
        raise IllegalMove(reason="malformed")
    origin, target = chess.parse_square(match[1]), chess.parse_square(match[2])
    move = chess.Move(origin, target, _promotion(board, origin, target, match[3]))
    if _captures_own(board, move) or not board.is_pseudo_legal(move):
        raise IllegalMove(reason="illegal")
    if not board.is_legal(move):
        raise IllegalMove(reason="inCheck")
    return move


def _captures_own(board: chess.Board, move: chess.Move) -> bool:
    """Whether the target holds one's own man: castling is written as the king's two steps only."""
    return board.color_at(move.to_square) == board.turn


def _promotion(board: chess.Board, origin: int, target: int, letter: str) -> int | None:
    """The piece chosen, where the move is a promotion at all. Raises IllegalMove."""
    is_due = chess.square_rank(target) in (0, 7) and board.piece_type_at(origin) == chess.PAWN
    queens = chess.Move(origin, target, chess.QUEEN)
    if not (is_due and board.is_pseudo_legal(queens)):
        if letter:
            raise IllegalMove(reason="promotionWrong")
        return None
    if not letter:
        raise IllegalMove(reason="promotionMissing")
    if letter not in _PROMOTIONS:
        raise IllegalMove(reason="promotionWrong")
    return _PROMOTIONS[letter]


def _ending(board: chess.Board) -> Ending | None:
    """What the position after a move ends by itself, in the order of DESIGN section 7."""
    if not any(board.generate_legal_moves()):
        return _no_legal_move(board)
    for has_happened, termination in (
        (board.is_insufficient_material, Termination.INSUFFICIENT_MATERIAL),
        (lambda: board.is_repetition(3), Termination.THREEFOLD),
        (board.is_fifty_moves, Termination.FIFTY_MOVES),
    ):
        if has_happened():
            return Ending(termination, None)
    return None


def _no_legal_move(board: chess.Board) -> Ending:
    if not board.is_check():
        return Ending(Termination.STALEMATE, None)
    return Ending(Termination.CHECKMATE, Side.BLACK if board.turn == chess.WHITE else Side.WHITE)
