"""How a game of standard chess ends by itself: at the right ply, and for the right reason."""

import pytest

from tests.support.playing import UNTIMED, Playing, mirrored, mirrored_line, rebuilt

KNIGHTS_OUT_AND_BACK = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"
SHUFFLE = "f1g2 d6c5 g2f1 c5d6 f1g2 d6c5 g2f1 c5d6"

FASTEST_STALEMATE = (
    "c2c4 h7h5 h2h4 a7a5 d1a4 a8a6 a4a5 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6"
)


def ended_after(playing: Playing, line: str) -> tuple[int, str] | None:
    """After how many of the moves it is over, and why."""
    for number, uci in enumerate(line.split(), start=1):
        playing.move(uci)
        if playing.ending is not None:
            return number, playing.ending[0]
    return None


@pytest.mark.parametrize(
    ("name", "line", "end"),
    [
        ("C026", KNIGHTS_OUT_AND_BACK, (8, "threefold")),
        ("C026 other order", "b1c3 g8f6 c3b1 f6g8 b1c3 g8f6 c3b1 f6g8", (8, "threefold")),
        ("not yet", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 b8c6", None),
        (
            "C027 en passant was possible the first time",
            "e2e4 g8f6 e4e5 d7d5 f1c4 b8c6 c4f1 c6b8 f1c4 b8c6 c4f1 c6b8 f1c4",
            (13, "threefold"),
        ),
        (
            "C028 no pawn could take en passant",
            "f2f4 g8f6 g1f3 f6g8 f3g1 g8f6 g1f3 f6g8 f3g1",
            (9, "threefold"),
        ),
        (
            "C030a castling was possible the first time",
            "e2e4 e7e5 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8",
            (12, "threefold"),
        ),
        (
            "a rook that moved has taken one castling with it",
            "h2h4 h7h5 h1h2 h8h7 h2h1 h7h8 h1h2 h8h7 h2h1 h7h8 h1h2 h8h7",
            (12, "threefold"),
        ),
        (
            "not in a row",
            "g1f3 g8f6 f3g1 f6g8 b1c3 b8c6 c3b1 c6b8",
            (8, "threefold"),
        ),
        (
            "same pieces, other squares in between",
            "g1f3 g8f6 f3e5 f6e4 e5f3 e4f6 f3g1 f6g8 g1f3 g8f6",
            (10, "threefold"),
        ),
    ],
)
def test_the_third_occurrence_ends_the_game_not_a_ply_earlier(
    name: str, line: str, end: tuple[int, str] | None
) -> None:
    assert ended_after(Playing.start(UNTIMED), line) == end


def test_repetition_is_found_by_processes_that_never_saw_the_game() -> None:
    """C032: the table is made anew from its fields before every ply."""
    playing = Playing.start(UNTIMED)
    for uci in KNIGHTS_OUT_AND_BACK.split():
        assert playing.ending is None
        playing.table = rebuilt(playing.table)
        playing.move(uci)

    assert playing.ending == ("threefold", "1/2-1/2")


def test_repetition_before_an_irreversible_ply_does_not_count_after_it() -> None:
    playing = Playing.start(UNTIMED)

    playing.play("g1f3 g8f6 f3g1 f6g8 e2e4 e7e5 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1")
    assert playing.ending is None
    playing.move("f6g8")

    assert playing.ending == ("threefold", "1/2-1/2")


@pytest.mark.parametrize("is_mirrored", [False, True], ids=["white", "black"])
@pytest.mark.parametrize(
    ("name", "fen", "line", "end"),
    [
        (
            "C030b the rook's first step takes the castling right",
            "r3kb1r/5ppp/4p3/8/4P3/2N5/Pn1BK1PP/R6R w kq - 0 22",
            "c3b5 a8a4 b5c3 a4a8 c3b5 a8a4 b5c3 a4a8 c3b5 a8a4",
            (10, "threefold"),
        ),
        ("C024a", "8/8/3k4/8/3n4/8/3K4/5B2 w - - 0 1", SHUFFLE, (8, "threefold")),
        ("C024b", "8/8/3k4/8/3n4/8/3K4/5B2 w - - 99 80", "f1g2", (1, "fiftyMoves")),
        ("98 plies are not enough", "8/8/3k4/8/3n4/8/3K4/5B2 w - - 98 80", "f1g2", None),
        ("mate before fifty", "7k/8/6K1/8/8/8/8/Q7 w - - 99 80", "a1a8", (1, "checkmate")),
        ("stalemate before fifty", "7k/8/5KQ1/8/8/8/8/8 w - - 99 80", "f6e7", (1, "stalemate")),
        (
            "insufficient material before fifty",
            "8/8/3k4/8/8/3K4/8/8 w - - 99 80",
            "d3c3",
            (1, "insufficientMaterial"),
        ),
        ("a capture starts the count anew", "4k3/8/8/8/8/8/r7/Q3K3 w - - 99 80", "a1a2", None),
        ("a pawn starts the count anew", "4k3/8/8/8/8/7P/8/Q3K3 w - - 99 80", "h3h4", None),
        (
            "threefold before fifty",
            "8/8/3k4/8/3n4/8/3K4/5B2 w - - 92 80",
            SHUFFLE,
            (8, "threefold"),
        ),
        (
            "C020 two kings",
            "8/8/3k4/8/4r3/3K4/8/8 w - - 0 1",
            "d3e4",
            (1, "insufficientMaterial"),
        ),
        (
            "C020 king and knight against king",
            "8/8/3k4/8/4r3/3K4/8/7N w - - 0 1",
            "d3e4",
            (1, "insufficientMaterial"),
        ),
        (
            "king and bishop against king",
            "8/8/3k4/8/4r3/3K4/8/7B w - - 0 1",
            "d3e4",
            (1, "insufficientMaterial"),
        ),
        (
            "bishops on one colour",
            "8/8/3k1b2/8/4r3/3K4/8/6B1 w - - 0 1",
            "d3e4",
            (1, "insufficientMaterial"),
        ),
        ("bishops on two colours", "8/8/3k1b2/8/4r3/3K4/8/7B w - - 0 1", "d3e4", None),
        ("two knights", "8/8/3k4/8/4r3/3K4/8/6NN w - - 0 1", "d3e4", None),
        ("a knight on either side", "1n6/8/3k4/8/4r3/3K4/8/7N w - - 0 1", "d3e4", None),
        ("a pawn is left", "8/8/3k4/8/4r3/3K4/7P/8 w - - 0 1", "d3e4", None),
        (
            "promotion to a knight leaves too little",
            "8/P7/8/3k4/8/3K4/8/8 w - - 0 1",
            "a7a8n",
            (1, "insufficientMaterial"),
        ),
        ("stalemate", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "f6e7", (1, "stalemate")),
        ("C042b", "8/5P1k/8/6K1/8/8/8/8 w - - 0 1", "f7f8q", (1, "stalemate")),
        ("mate on the back rank", "7k/R7/8/8/8/8/8/1R4K1 w - - 0 1", "b1b8", (1, "checkmate")),
    ],
)
def test_a_position_ends_the_game_for_either_side_alike(
    name: str, fen: str, line: str, end: tuple[int, str] | None, *, is_mirrored: bool
) -> None:
    if is_mirrored:
        fen, line = mirrored(fen), mirrored_line(line)

    assert ended_after(Playing.start(UNTIMED, fen), line) == end


@pytest.mark.parametrize(
    ("line", "end"),
    [
        ("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", ("checkmate", "1-0")),
        ("f2f3 e7e5 g2g4 d8h4", ("checkmate", "0-1")),
        (
            FASTEST_STALEMATE,
            ("stalemate", "1/2-1/2"),
        ),
        (KNIGHTS_OUT_AND_BACK, ("threefold", "1/2-1/2")),
    ],
)
def test_the_result_follows_from_the_last_move_and_only_from_it(
    line: str, end: tuple[str, str]
) -> None:
    *before, last = line.split()
    playing = Playing.start(UNTIMED).play(" ".join(before))
    assert playing.ending is None

    playing.move(last)

    assert playing.ending == end


def test_san_tells_apart_what_uci_need_not() -> None:
    playing = Playing.start(UNTIMED, "4k3/8/8/8/R6R/8/8/4K3 w - - 0 1")

    playing.play("a4d4 e8e7 h4h7 e7f8 d4d8")

    assert playing.sans == ["Rad4", "Ke7", "Rh7+", "Kf8", "Rd8#"]
