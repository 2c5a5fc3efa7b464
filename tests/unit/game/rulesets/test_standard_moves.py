"""Moves on the wire: what standard chess plays, and the reason it gives for what it does not."""

import random

import chess
import pytest

from shared.game.ids import Fen
from shared.game.outcome import Termination
from shared.game.refusal import IllegalMove
from shared.game.rulesets import RULESETS
from shared.game.side import Side
from shared.game.table import Position
from tests.support.playing import mirrored, mirrored_line

STANDARD = RULESETS["standard"]
START = Position(STANDARD.start_fen())
LONE_PAWN = "8/6pp/1K6/3P1p2/2P2P1k/8/p7/8 b - - 0 44"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def at(fen: str) -> Position:
    return Position(Fen(fen))


def reason(position: Position, uci: str) -> str | int:
    with pytest.raises(IllegalMove) as refused:
        STANDARD.play(position, uci)
    return refused.value.parameters["reason"]


@pytest.mark.parametrize(
    ("uci", "why"),
    [
        ("0000", "malformed"),
        ("E2E4", "malformed"),
        ("e2E4", "malformed"),
        ("e2e4 ", "malformed"),
        (" e2e4", "malformed"),
        ("e2e4\n", "malformed"),
        ("e2", "malformed"),
        ("", "malformed"),
        ("e2-e4", "malformed"),
        ("e2e9", "malformed"),
        ("i2i4", "malformed"),
        ("e2e4qq", "malformed"),
        ("e2e4♕", "malformed"),
        ("e²e4", "malformed"),
        ("P@e4", "malformed"),
        ("e4", "malformed"),
        ("O-O", "malformed"),
        ("e2e5", "illegal"),
        ("e7e5", "illegal"),
        ("e4e5", "illegal"),
        ("a8a8", "illegal"),
        ("a1a1", "illegal"),
        ("a1a2", "illegal"),
        ("e1g1", "illegal"),
        ("e1h1", "illegal"),
        ("e2e4q", "promotionWrong"),
        ("b1c3n", "promotionWrong"),
    ],
)
def test_odd_encodings_and_illegal_moves_are_refused_with_a_reason(uci: str, why: str) -> None:
    assert reason(START, uci) == why


@pytest.mark.parametrize(
    ("fen", "line"),
    [(LONE_PAWN, "a2a1"), (mirrored(LONE_PAWN), mirrored_line("a2a1"))],
    ids=["black", "white"],
)
def test_a_promotion_needs_one_of_its_four_letters(fen: str, line: str) -> None:
    position = at(fen)

    assert reason(position, line) == "promotionMissing"
    for letter in "kpQNRBKPxz":
        assert reason(position, line + letter) == "promotionWrong"
    assert reason(position, line + "2") == "malformed"
    for letter in "qrbn":
        assert STANDARD.play(position, line + letter).uci == line + letter


@pytest.mark.parametrize("target", ["a2a1", "a2b1"])
def test_a_promotion_by_capture_needs_its_letter_too(target: str) -> None:
    position = at("4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1")

    assert reason(position, target) == "promotionMissing"
    assert STANDARD.play(position, target + "n").uci == target + "n"


def test_a_promotion_that_is_no_move_at_all_is_illegal() -> None:
    assert reason(at(LONE_PAWN), "a2b1") == "illegal"
    assert reason(at(LONE_PAWN), "a2b1q") == "promotionWrong"


def test_a_knight_is_made_when_a_knight_is_asked_for() -> None:
    position = at("5r2/6Pk/7p/2pB4/8/q7/8/6RK w - - 0 1")

    knight = STANDARD.play(position, "g7f8n")
    queen = STANDARD.play(position, "g7f8q")

    assert knight.san == "gxf8=N+"
    assert knight.irreversible_fen == "5N2/7k/7p/2pB4/8/q7/8/6RK b - - 0 1"
    assert queen.irreversible_fen is not None
    mate = STANDARD.play(at(queen.irreversible_fen), "a3h3").ending
    assert mate is not None
    assert (mate.termination, mate.winner) == (Termination.CHECKMATE, Side.BLACK)


def test_a_queen_that_stalemates_draws_where_a_rook_goes_on() -> None:
    position = at("8/5P1k/8/6K1/8/8/8/8 w - - 0 1")

    queen, rook = STANDARD.play(position, "f7f8q"), STANDARD.play(position, "f7f8r")

    assert queen.ending is not None
    assert (queen.ending.termination, queen.ending.winner) == (Termination.STALEMATE, None)
    assert rook.ending is None


@pytest.mark.parametrize(
    ("fen", "uci"),
    [
        ("4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1", "e2d2"),
        ("4k3/8/8/8/8/8/3r4/4K3 w - - 0 1", "e1d1"),
        ("4k3/8/8/8/4r3/8/8/R3K3 w Q - 0 1", "a1a2"),
        ("4k3/8/8/8/8/8/4q3/4K2R w K - 0 1", "h1h2"),
    ],
)
def test_a_move_that_leaves_the_king_in_check_says_so(fen: str, uci: str) -> None:
    assert reason(at(fen), uci) == "inCheck"
    assert reason(at(mirrored(fen)), mirrored_line(uci)) == "inCheck"


@pytest.mark.parametrize(
    ("uci", "rook_takes", "san"),
    [("e1g1", "e1h1", "O-O"), ("e1c1", "e1a1", "O-O-O")],
)
@pytest.mark.parametrize("side", Side)
def test_castling_has_one_form_the_kings_two_steps(
    side: Side, uci: str, rook_takes: str, san: str
) -> None:
    fen = CASTLING
    if side is Side.BLACK:
        fen, uci, rook_takes = mirrored(fen), mirrored_line(uci), mirrored_line(rook_takes)

    played = STANDARD.play(at(fen), uci)

    assert (played.uci, played.san) == (uci, san)
    assert STANDARD.ucis(played.packed) == (uci,)
    assert reason(at(fen), rook_takes) == "illegal"
    legal = STANDARD.scene(at(fen), side).legal
    assert uci in legal
    assert rook_takes not in legal


@pytest.mark.parametrize(
    ("fen", "castling"),
    [
        ("r3k2r/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", "in check"),
        ("r3k2r/8/8/8/5r2/8/8/R3K2R w K - 0 1", "through check"),
        ("r3k2r/8/8/8/6r1/8/8/R3K2R w K - 0 1", "into check"),
        ("4k3/8/8/8/8/8/8/R3K1NR w KQ - 0 1", "over a knight"),
        ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "without the right"),
    ],
)
def test_castling_is_refused(fen: str, castling: str) -> None:
    with pytest.raises(IllegalMove):
        STANDARD.play(at(fen), "e1g1")
    with pytest.raises(IllegalMove):
        STANDARD.play(at(mirrored(fen)), "e8g8")


def test_queenside_castling_past_an_attacked_b_file_is_allowed() -> None:
    assert STANDARD.play(at("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1"), "e1c1").san == "O-O-O"


@pytest.mark.parametrize(
    ("fen", "uci", "packed_after"),
    [
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3", "4k3/8/8/8/8/4p3/8/4K3 w - - 0 2"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", "4k3/8/3P4/8/8/8/8/4K3 b - - 0 2"),
    ],
)
def test_en_passant_takes_the_pawn_that_passed(fen: str, uci: str, packed_after: str) -> None:
    assert STANDARD.play(at(fen), uci).irreversible_fen == packed_after


def test_en_passant_is_gone_a_move_later() -> None:
    assert reason(at("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 2"), "e5d6") == "illegal"


def test_en_passant_that_bares_the_king_along_the_rank_is_refused() -> None:
    assert reason(at("8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1"), "e4d3") == "inCheck"


def test_only_the_side_on_move_is_shown_moves() -> None:
    assert len(STANDARD.scene(START, Side.WHITE).legal) == 20
    assert STANDARD.scene(START, Side.BLACK).legal == ()
    assert STANDARD.scene(START, None).legal == ()


def test_everybody_is_shown_the_same_board_and_whether_there_is_check() -> None:
    position = at("4k3/8/8/8/8/8/4q3/4K2R w K - 0 1")

    scenes = [STANDARD.scene(position, viewer) for viewer in (Side.WHITE, Side.BLACK, None)]

    assert {scene.fen for scene in scenes} == {position.fen}
    assert all(scene.in_check for scene in scenes)
    assert not STANDARD.scene(START, None).in_check


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        CASTLING,
        LONE_PAWN,
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1",
        "rnbqkbnr/ppp1p1pp/8/3pPpP1/8/8/PPPP1P1P/RNBQKBNR w KQkq f6 0 4",
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    ],
)
def test_of_all_that_can_be_written_exactly_the_legal_moves_are_played(fen: str) -> None:
    """The references are python-chess's own legal moves; every pair of squares is tried."""
    board = chess.Board(fen)
    position = at(fen)
    side = Side.WHITE if board.turn else Side.BLACK
    expected = {move.uci() for move in board.legal_moves}
    letters = random.Random(fen).choices("qrbnkpQ", k=3)
    played = set()
    for origin in chess.SQUARE_NAMES:
        if board.color_at(chess.parse_square(origin)) != board.turn:
            continue
        for target in chess.SQUARE_NAMES:
            for letter in ("", "q", "n", *letters):
                try:
                    played.add(STANDARD.play(position, origin + target + letter).uci)
                except IllegalMove:
                    continue

    assert played <= expected
    assert {uci for uci in expected if uci[4:] in ("", "q", "n")} <= played
    assert set(STANDARD.scene(position, side).legal) == expected
