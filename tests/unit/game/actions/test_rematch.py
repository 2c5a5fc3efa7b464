"""A rematch: offered, accepted, declined; the next game at the same table."""

import pytest

from shared.game.actions.action import GameAction
from shared.game.actions.draw import DeclineDraw, OfferDraw
from shared.game.actions.leave_table import LeaveTable
from shared.game.actions.move import Move
from shared.game.actions.rematch import AcceptRematch, DeclineRematch, OfferRematch
from shared.game.actions.resign import Resign
from shared.game.events import Happened, Repeat
from shared.game.refusal import StalePly
from shared.game.side import Side
from shared.game.table import Status
from tests.support.playing import (
    BEGAN_AT,
    BLACK_PLAYER,
    NO_MOVE_LIMIT,
    WHITE_PLAYER,
    Playing,
    action_id,
)

WHITE, BLACK = Side
Fields = dict[str, str | int | None]
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def finished() -> Playing:
    """White has resigned at 10 s."""
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    playing.act(WHITE, Resign, at=10_000)
    return playing


@pytest.mark.parametrize("offerer", Side)
@pytest.mark.parametrize("answer", [AcceptRematch, OfferRematch])
def test_an_accepted_rematch_is_a_fresh_game_with_the_colours_changed(
    offerer: Side, answer: type[GameAction]
) -> None:
    playing = finished()
    playing.act(offerer, OfferRematch, at=20_000)
    v = playing.table.v
    fields: Fields = {"v": v} if answer is AcceptRematch else {}

    playing.act(offerer.other, answer, at=25_000, written=None, said=None, **fields)
    table = playing.table

    assert playing.events[-1].name is Happened.REMATCHED
    assert (table.game, table.v, table.ply, table.status) == (2, v + 1, 0, Status.LIVE)
    assert (table.white.player_id, table.black.player_id) == (BLACK_PLAYER, WHITE_PLAYER)
    assert playing.fen == START
    assert playing.clocks == (600_000, 600_000)
    assert (table.clock.turn_at, table.began_at) == (BEGAN_AT + 25_000,) * 2
    assert (table.outcome, table.draw_offer, table.rematch_offer) == (None, None, None)
    assert (table.moves, table.thinks, table.clock.served_ms) == (b"", b"", 0)
    playing.play("d2d4 d7d5")
    assert playing.table.ply == 2


@pytest.mark.parametrize("side", Side)
def test_an_old_copy_of_an_offer_that_was_taken_back_is_no_new_offer(side: Side) -> None:
    """However much was offered in between: nothing but its id tells it from a new one."""
    playing = finished()
    first = action_id(901)
    playing.act(side, OfferRematch, said=first)
    playing.act(side, DeclineRematch, v=playing.table.v)
    while True:
        copy = playing.act(side, OfferRematch, said=first)
        assert isinstance(copy, Repeat)
        try:
            playing.act(side, OfferRematch)
        except StalePly:
            break
        playing.act(side, DeclineRematch, v=playing.table.v)
    assert playing.table.rematch_offer is None
    assert isinstance(playing.act(side, OfferRematch, said=first), Repeat)
    playing.act(side.other, OfferRematch)
    assert isinstance(playing.act(side, OfferRematch, said=first), Repeat)
    playing.act(side, AcceptRematch, v=playing.table.v)
    assert playing.table.status is Status.LIVE


def test_three_rematch_offers_of_a_game_are_no_trouble() -> None:
    playing = finished()
    for _ in range(3):
        playing.act(WHITE, OfferRematch)
        playing.act(WHITE, DeclineRematch, v=playing.table.v)
    assert playing.table.status is Status.OVER


def test_nobody_accepts_his_own_rematch() -> None:
    playing = finished()
    playing.act(WHITE, OfferRematch)

    assert playing.refused(WHITE, AcceptRematch, v=playing.table.v).code == "noSuchOffer"
    assert playing.refused(WHITE, OfferRematch).code == "offerStands"


def test_a_rematch_is_answered_under_its_own_v() -> None:
    playing = finished()
    playing.act(WHITE, OfferRematch)
    first = playing.table.v
    playing.act(BLACK, DeclineRematch, v=first)
    assert playing.events[-1].name is Happened.REMATCH_DECLINED
    playing.act(WHITE, OfferRematch)

    assert playing.refused(BLACK, AcceptRematch, v=first).code == "noSuchOffer"
    assert playing.refused(BLACK, DeclineRematch, v=first).code == "noSuchOffer"
    playing.act(BLACK, AcceptRematch, v=playing.table.v)

    assert playing.table.game == 2


def test_without_an_offer_there_is_no_rematch_to_answer() -> None:
    playing = finished()

    for kind in (AcceptRematch, DeclineRematch):
        assert playing.refused(BLACK, kind, v=playing.table.v).code == "noSuchOffer"


@pytest.mark.parametrize("kind", [OfferRematch, AcceptRematch, DeclineRematch])
def test_a_rematch_needs_a_game_that_is_over(kind: type[GameAction]) -> None:
    playing = Playing.start().play("e2e4 e7e5")
    fields: Fields = {} if kind is OfferRematch else {"v": playing.table.v}

    assert (
        playing.refused(WHITE, kind, at=None, written=None, said=None, **fields).code
        == "gameNotOver"
    )


def test_an_aborted_game_may_have_a_rematch() -> None:
    playing = Playing.start(NO_MOVE_LIMIT)
    playing.act(WHITE, Resign)
    assert playing.ending == ("aborted", "*")

    playing.act(BLACK, OfferRematch)
    playing.act(WHITE, AcceptRematch, v=playing.table.v)

    assert playing.table.status is Status.LIVE


def test_a_closed_table_has_no_rematch() -> None:
    playing = finished()
    playing.leave(BLACK, 11_000)
    playing.act(WHITE, OfferRematch)
    playing.act(BLACK, AcceptRematch, v=playing.table.v)
    playing.act(WHITE, LeaveTable)
    assert playing.ending == ("closed", "*")

    assert playing.refused(WHITE, OfferRematch).code == "tableClosed"


def test_a_rematch_waits_for_who_is_not_connected_and_whites_clock_with_it() -> None:
    playing = finished()
    playing.act(BLACK, OfferRematch, at=12_000)
    playing.leave(BLACK, 13_000)

    playing.act(WHITE, AcceptRematch, at=20_000, v=playing.table.v)
    assert playing.table.status == "seated"
    playing.come(WHITE, 60_000)

    assert playing.table.side_of(BLACK_PLAYER) is WHITE
    assert playing.table.status == "live"
    assert playing.table.clock.turn_at == BEGAN_AT + 60_000


def test_a_rematch_that_does_not_begin_closes_after_five_minutes() -> None:
    playing = finished()
    playing.act(BLACK, OfferRematch, at=12_000)
    playing.leave(BLACK, 13_000)
    playing.act(WHITE, AcceptRematch, at=20_000, v=playing.table.v)

    playing.tick(319_999)
    assert not playing.is_over
    playing.tick(320_000)

    assert playing.ending == ("closed", "*")


def test_what_a_player_did_last_is_still_known_in_the_next_game() -> None:
    """The two last actions of each player survive, although the sides are changed."""
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    playing.act(WHITE, Resign, said=action_id(501))
    resigned = playing.table.v
    playing.act(WHITE, OfferRematch, said=action_id(502))
    offered = playing.table.v
    playing.act(BLACK, AcceptRematch, v=offered, said=action_id(503))
    begun = playing.table.v

    resent = [
        playing.act(BLACK, Resign, game=1, ply=2, said=action_id(501)),
        playing.act(BLACK, OfferRematch, game=1, ply=2, said=action_id(502)),
        playing.act(WHITE, AcceptRematch, game=1, ply=2, v=offered, said=action_id(503)),
    ]

    assert resent == [Repeat(resigned), Repeat(offered), Repeat(begun)]
    assert playing.table.status is Status.LIVE


@pytest.mark.parametrize("kind", [Resign, OfferRematch, LeaveTable])
def test_an_action_of_the_last_game_does_nothing_in_the_next(kind: type[GameAction]) -> None:
    playing = finished()
    playing.act(WHITE, OfferRematch)
    playing.act(BLACK, AcceptRematch, v=playing.table.v)

    for side in Side:
        refusal = playing.refused(side, kind, game=1, ply=0)
        assert refusal.code == "stalePly"
        assert refusal.shows_table
    assert playing.refused(WHITE, Move, game=1, uci="e2e4").code == "stalePly"
    assert playing.refused(WHITE, Move, game=3, uci="e2e4").code == "stalePly"


def test_a_decline_of_a_draw_does_not_reach_into_the_next_game() -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    for side in Side:
        playing.act(side, OfferDraw)
        playing.act(side.other, DeclineDraw, v=playing.table.v)
    playing.act(WHITE, Resign)
    playing.act(WHITE, OfferRematch)
    playing.act(BLACK, AcceptRematch, v=playing.table.v)
    playing.play("e2e4 e7e5")

    for side in Side:
        playing.act(side, OfferDraw)
        playing.act(side.other, DeclineDraw, v=playing.table.v)


def test_a_rematch_after_a_rematch_has_the_first_colours_again() -> None:
    playing = finished()
    for game in (2, 3):
        playing.act(WHITE, OfferRematch)
        playing.act(BLACK, AcceptRematch, v=playing.table.v)
        assert playing.table.game == game
        playing.play("e2e4 e7e5")
        playing.act(WHITE, Resign)

    assert playing.table.side_of(WHITE_PLAYER) is WHITE
