"""offerDraw, acceptDraw, declineDraw: a draw by agreement.

Offers come only after both have moved; an offer stands while the offerer moves and dies with the
opponent's move; after a decline the same side makes ten of its moves before the next (DESIGN
section 7).
"""

from dataclasses import replace
from typing import ClassVar

from shared.game.actions.action import Asked, GameAction, Version
from shared.game.clock import FIRST_PLIES
from shared.game.events import Change, Event, Happened
from shared.game.outcome import Outcome, Termination
from shared.game.presence import hear
from shared.game.refusal import NoSuchOffer, OfferDeclined, OfferStands, TooFewPlies
from shared.game.side import Side
from shared.game.table import Offer, Table
from shared.game.verdicts import end

MOVES_AFTER_DECLINE = 10


class OfferDraw(GameAction, frozen=True, kw_only=True, tag="offerDraw"):
    """On anybody's turn; an offer while the opponent's stands is a new offer's answer: accept."""

    needs_current_ply: ClassVar[bool] = True

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:
        """The offer made, or the opponent's accepted.

        Raises TooFewPlies, OfferStands, OfferDeclined.
        """
        if table.ply < FIRST_PLIES:
            raise TooFewPlies
        if table.draw_offer is not None:
            if table.draw_offer.side is side:
                raise OfferStands
            return _agree(table, side, asked)
        _check_patience(table, side)
        heard = table.with_seat(side, hear(table.seat(side), asked.now)).seen()
        offered = replace(heard, draw_offer=Offer(side, heard.v))
        return Change(offered, Event(Happened.DRAW_OFFERED, side))


class AcceptDraw(GameAction, frozen=True, kw_only=True, tag="acceptDraw"):
    """`v` is the offer's own."""

    v: Version

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:
        """The game drawn as of the receipt. Raises NoSuchOffer."""
        _check_offer(table, side, self.v)
        return _agree(table, side, asked)


class DeclineDraw(GameAction, frozen=True, kw_only=True, tag="declineDraw"):
    """`v` is the offer's own."""

    v: Version

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:
        """The offer gone, and the offerer bound to wait. Raises NoSuchOffer."""
        _check_offer(table, side, self.v)
        offerer = replace(table.seat(side.other), declined_ply=table.ply)
        heard = table.with_seat(side, hear(table.seat(side), asked.now))
        declined = replace(heard.with_seat(side.other, offerer), draw_offer=None)
        return Change(declined.seen(), Event(Happened.DRAW_DECLINED, side))


def _agree(table: Table, side: Side, asked: Asked) -> Change:
    at = max(asked.received_at, table.clock.turn_at)
    return end(table, Outcome(None, Termination.AGREEMENT, at), side, asked.now)


def _check_offer(table: Table, side: Side, v: int) -> None:
    if table.draw_offer != Offer(side.other, v):
        raise NoSuchOffer


def _check_patience(table: Table, side: Side) -> None:
    declined_ply = table.seat(side).declined_ply
    if declined_ply is None:
        return
    moves_left = MOVES_AFTER_DECLINE - _moves_between(side, declined_ply, table.ply)
    if moves_left > 0:
        raise OfferDeclined(moves=moves_left)


def _moves_between(side: Side, first: int, last: int) -> int:
    """How many of `side`'s moves lie in the plies from `first` up to but without `last`."""
    offset = 0 if side is Side.WHITE else 1
    return (last + 1 - offset) // 2 - (first + 1 - offset) // 2
