"""Draw offers: when they may be made, how long they stand, and who may answer."""

import pytest

from shared.game.actions.draw import AcceptDraw, DeclineDraw, OfferDraw
from shared.game.actions.move import Move
from shared.game.events import Happened
from shared.game.side import Side
from shared.game.table import Offer
from tests.support.playing import NO_MOVE_LIMIT, UNTIMED, Playing

WHITE, BLACK = Side
PAWN_MOVES = (
    "a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6 e2e3 e7e6 f2f3 f7f6 g2g3 g7g6 h2h3 h7h6 "
    "a3a4 a6a5 b3b4 b6b5 c3c4 c6c5 d3d4 d6d5 e3e4 e6e5"
)
ROOMY = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w - - 0 1"


def started() -> Playing:
    """Both have moved; White is to play."""
    return Playing.start(UNTIMED).play("e2e4 e7e5")


def test_an_offer_is_open_under_the_v_it_was_made_with() -> None:
    playing = started()

    playing.act(WHITE, OfferDraw)

    assert playing.table.draw_offer == Offer(WHITE, playing.table.v)
    assert playing.events[-1].name is Happened.DRAW_OFFERED


@pytest.mark.parametrize("offerer", Side)
@pytest.mark.parametrize("plies", ["e2e4 e7e5", "e2e4 e7e5 g1f3"])
def test_an_offer_may_be_made_and_accepted_on_anybodys_turn(offerer: Side, plies: str) -> None:
    playing = Playing.start(UNTIMED).play(plies)

    playing.agree(offerer)

    assert playing.ending == ("agreement", "1/2-1/2")


@pytest.mark.parametrize("plies", ["", "e2e4"])
@pytest.mark.parametrize("side", Side)
def test_no_draw_before_both_have_moved(plies: str, side: Side) -> None:
    """C088."""
    playing = Playing.start(UNTIMED).play(plies)

    assert playing.refused(side, OfferDraw).code == "drawTooSoon"


def test_ones_own_move_leaves_ones_own_offer_open() -> None:
    """C036a."""
    playing = started()
    playing.act(WHITE, OfferDraw)
    offer = playing.table.v

    playing.play("g1f3")
    playing.act(BLACK, AcceptDraw, v=offer)

    assert playing.ending == ("agreement", "1/2-1/2")


def test_an_offer_dies_with_the_opponents_move() -> None:
    """C036b: and with it every late answer, the offerer's own included."""
    playing = started()
    playing.act(WHITE, OfferDraw)
    offer = playing.table.v
    playing.play("g1f3 b8c6")

    assert playing.table.draw_offer is None
    for side in Side:
        for answer in (AcceptDraw, DeclineDraw):
            refusal = playing.refused(side, answer, v=offer)
            assert refusal.code == "noSuchOffer"
            assert refusal.shows_table


def test_an_offer_made_on_the_opponents_turn_dies_with_his_next_move() -> None:
    playing = started()
    playing.act(BLACK, OfferDraw)

    playing.play("g1f3")

    assert playing.table.draw_offer is None


def test_an_offer_made_before_ones_move_outlives_it_once_only() -> None:
    playing = started()
    playing.act(WHITE, OfferDraw)

    playing.play("g1f3")
    assert playing.table.draw_offer is not None
    playing.play("b8c6")
    assert playing.table.draw_offer is None


def test_nobody_answers_his_own_offer() -> None:
    playing = started()
    playing.act(WHITE, OfferDraw)
    offer = playing.table.v

    assert playing.refused(WHITE, AcceptDraw, v=offer).code == "noSuchOffer"
    assert playing.refused(WHITE, DeclineDraw, v=offer).code == "noSuchOffer"
    assert playing.refused(WHITE, OfferDraw).code == "offerStands"


def test_an_answer_is_to_one_offer_only() -> None:
    """A late yes to the first offer does not accept the second."""
    playing = started()
    playing.act(WHITE, OfferDraw)
    first = playing.table.v
    playing.play("g1f3 b8c6")
    playing.act(WHITE, OfferDraw)

    assert playing.refused(BLACK, AcceptDraw, v=first).code == "noSuchOffer"
    assert playing.refused(BLACK, DeclineDraw, v=first).code == "noSuchOffer"
    assert playing.refused(BLACK, AcceptDraw, v=playing.table.v + 1).code == "noSuchOffer"
    playing.act(BLACK, AcceptDraw, v=playing.table.v)
    assert playing.ending == ("agreement", "1/2-1/2")


@pytest.mark.parametrize("answer", [AcceptDraw, DeclineDraw])
def test_without_an_offer_there_is_nothing_to_answer(
    answer: type[AcceptDraw | DeclineDraw],
) -> None:
    playing = started()

    assert playing.refused(BLACK, answer, v=playing.table.v).code == "noSuchOffer"


@pytest.mark.parametrize("first", Side)
def test_two_who_offer_have_agreed(first: Side) -> None:
    playing = started()
    playing.act(first, OfferDraw)

    playing.act(first.other, OfferDraw)

    assert playing.ending == ("agreement", "1/2-1/2")


def test_a_declined_offer_is_gone_and_told() -> None:
    playing = started()
    playing.act(WHITE, OfferDraw)
    offer = playing.table.v

    playing.act(BLACK, DeclineDraw, v=offer)

    assert playing.table.draw_offer is None
    assert playing.events[-1].name is Happened.DRAW_DECLINED
    assert playing.events[-1].by is BLACK
    assert playing.refused(BLACK, AcceptDraw, v=offer).code == "noSuchOffer"


@pytest.mark.parametrize("offerer", Side)
@pytest.mark.parametrize("moves_first", [0, 1], ids=["white to move", "black to move"])
def test_after_a_decline_ten_moves_of_ones_own_come_first(offerer: Side, moves_first: int) -> None:
    """Exactly ten: refused after nine of them, whoever was on move when it was declined."""
    playing = Playing.start(UNTIMED, ROOMY)
    pawns = iter(PAWN_MOVES.split())
    for _ in range(moves_first):
        playing.move(next(pawns))
    playing.act(offerer, OfferDraw)
    playing.act(offerer.other, DeclineDraw, v=playing.table.v)
    own = 0
    while own < 10:
        refusal = playing.refused(offerer, OfferDraw)
        assert (refusal.code, refusal.parameters) == ("offerDeclined", {"moves": 10 - own})
        own += playing.table.on_move is offerer
        playing.move(next(pawns))

    playing.act(offerer, OfferDraw)

    assert playing.table.draw_offer is not None


def test_a_decline_binds_only_the_side_that_was_declined() -> None:
    playing = started()
    playing.act(WHITE, OfferDraw)
    playing.act(BLACK, DeclineDraw, v=playing.table.v)

    playing.act(BLACK, OfferDraw)
    playing.act(WHITE, OfferDraw)

    assert playing.ending == ("agreement", "1/2-1/2")


def test_an_offer_that_only_lapsed_may_be_made_again() -> None:
    playing = started()
    playing.act(WHITE, OfferDraw)
    playing.play("g1f3 b8c6")

    playing.act(WHITE, OfferDraw)

    assert playing.table.draw_offer is not None


def test_the_clock_runs_while_an_offer_stands_and_stops_with_the_agreement() -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    playing.act(BLACK, OfferDraw, at=2_000)
    playing.act(WHITE, AcceptDraw, at=7_000, written=7_900, v=playing.table.v)

    assert playing.clocks == (593_000, 600_000)
    assert playing.ended_at == 7_000


@pytest.mark.parametrize("offerer", Side)
def test_a_flag_loses_although_a_draw_is_on_offer(offerer: Side) -> None:
    """C037, D1: whoever offered, and although the flagged side could have accepted."""
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    playing.act(offerer, OfferDraw)

    playing.tick(602_000)

    assert playing.ending == ("timeForfeit", "0-1")
    assert playing.table.draw_offer is None


def test_after_the_flag_the_offer_cannot_be_accepted_by_the_side_on_move() -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    playing.act(BLACK, OfferDraw)

    assert playing.refused(WHITE, AcceptDraw, at=600_000, v=playing.table.v).code == "tooLate"
    assert playing.refused(WHITE, DeclineDraw, at=600_000, v=playing.table.v).code == "tooLate"


def test_after_the_flag_the_other_side_may_still_agree() -> None:
    """It is judged as usual: whoever is first to be written has it."""
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    playing.act(WHITE, OfferDraw)

    playing.act(BLACK, AcceptDraw, at=600_500, v=playing.table.v)

    assert playing.ending == ("agreement", "1/2-1/2")


def test_an_offer_may_be_made_from_the_present_position_only() -> None:
    playing = started()
    playing.play("g1f3")

    assert playing.refused(WHITE, OfferDraw, ply=2).code == "stalePly"


@pytest.mark.parametrize("is_move_first", [True, False])
def test_mate_and_acceptance_at_once_end_the_game_by_whichever_is_written_first(
    *, is_move_first: bool
) -> None:
    """C108."""
    playing = Playing.start(UNTIMED, "7k/R7/8/8/8/8/8/1R4K1 w - - 0 1")
    playing.act(WHITE, OfferDraw)
    offer = playing.table.v
    if is_move_first:
        playing.move("b1b8")
        assert playing.refused(BLACK, AcceptDraw, v=offer).code == "gameOver"
        assert playing.ending == ("checkmate", "1-0")
    else:
        playing.act(BLACK, AcceptDraw, v=offer)
        assert playing.refused(WHITE, Move, uci="b1b8").code == "gameOver"
        assert playing.ending == ("agreement", "1/2-1/2")
