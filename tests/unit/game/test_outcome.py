"""Results as text, and which ends count."""

import pytest

from shared.game.outcome import Outcome, Termination
from shared.game.side import Side


@pytest.mark.parametrize(
    ("winner", "termination", "result"),
    [
        (Side.WHITE, Termination.CHECKMATE, "1-0"),
        (Side.BLACK, Termination.RESIGNATION, "0-1"),
        (None, Termination.STALEMATE, "1/2-1/2"),
        (None, Termination.TIME_FORFEIT, "1/2-1/2"),
        (None, Termination.ABORTED, "*"),
        (None, Termination.CLOSED, "*"),
    ],
)
def test_the_result_says_who_won(
    winner: Side | None, termination: Termination, result: str
) -> None:
    assert Outcome(winner, termination, 0).result == result


def test_only_aborted_and_closed_games_have_no_result() -> None:
    without = {t for t in Termination if not Outcome(None, t, 0).has_result}

    assert without == {Termination.ABORTED, Termination.CLOSED}


def test_white_moves_first_and_then_they_alternate() -> None:
    assert [Side.on_move(ply) for ply in range(4)] == [
        Side.WHITE,
        Side.BLACK,
        Side.WHITE,
        Side.BLACK,
    ]
    assert [side.other for side in Side] == [Side.BLACK, Side.WHITE]
