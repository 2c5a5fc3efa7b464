"""offerRematch, acceptRematch, declineRematch: the same two once more, colours changed."""

from dataclasses import replace
from typing import ClassVar

from shared.game.actions.action import Asked, GameAction, Version
from shared.game.events import Change, Event, Happened
from shared.game.outcome import Termination
from shared.game.presence import begin, both_present
from shared.game.refusal import NoSuchOffer, OfferStands, StalePly, TableClosed
from shared.game.rulesets import RULESETS
from shared.game.side import Side
from shared.game.table import RECENT_AFTER, Offer, Seat, Status, Table

_AFTER = frozenset({Status.OVER})


class OfferRematch(GameAction, frozen=True, kw_only=True, tag="offerRematch"):
    """An offer while the opponent's stands accepts that."""

    allowed_in: ClassVar[frozenset[Status]] = _AFTER
    is_timed: ClassVar[bool] = False

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:
        """The offer made, or the opponent's accepted.

        Raises OfferStands, TableClosed; StalePly once so much was offered and taken back that an
        old copy could not be told from a new offer.
        """
        if table.outcome is None or table.outcome.termination is Termination.CLOSED:
            raise TableClosed
        if table.rematch_offer is not None:
            if table.rematch_offer.side is side:
                raise OfferStands
            return _rematch(table, side, asked)
        if len(table.seat(side).recent) >= RECENT_AFTER:
            raise StalePly(game=table.game, ply=table.ply)
        seen = table.seen()
        offered = replace(seen, rematch_offer=Offer(side, seen.v))
        return Change(offered, Event(Happened.REMATCH_OFFERED, side))


class AcceptRematch(GameAction, frozen=True, kw_only=True, tag="acceptRematch"):
    """`v` is the offer's own."""

    allowed_in: ClassVar[frozenset[Status]] = _AFTER
    is_timed: ClassVar[bool] = False

    v: Version

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:
        """The next game at the same table, colours changed. Raises NoSuchOffer."""
        _check_offer(table, side, self.v)
        return _rematch(table, side, asked)


class DeclineRematch(GameAction, frozen=True, kw_only=True, tag="declineRematch"):
    """`v` is the offer's own; the offerer may take his own back with it."""

    allowed_in: ClassVar[frozenset[Status]] = _AFTER
    is_timed: ClassVar[bool] = False

    v: Version

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:  # noqa: ARG002 - the shape of every action
        """The offer gone. Raises NoSuchOffer."""
        if table.rematch_offer is None or table.rematch_offer.v != self.v:
            raise NoSuchOffer
        declined = replace(table, rematch_offer=None).seen()
        return Change(declined, Event(Happened.REMATCH_DECLINED, side))


def _check_offer(table: Table, side: Side, v: int) -> None:
    if table.rematch_offer != Offer(side.other, v):
        raise NoSuchOffer


def _rematch(table: Table, side: Side, asked: Asked) -> Change:
    """A fresh game: what survives is who sits here, what they have done, and `v` going on."""
    fresh = Table(
        table.table_id,
        table.ruleset,
        table.time_control,
        RULESETS[table.ruleset].start_fen(),
        asked.now,
        white=_again(table.black),
        black=_again(table.white),
        rev=table.rev,
        v=table.v,
        game=table.game + 1,
        status=Status.SEATED,
        is_public=table.is_public,
    )
    begun = begin(fresh, asked.now) if both_present(fresh) else fresh
    return Change(begun.seen(), Event(Happened.REMATCHED, side.other))


def _again(seat: Seat) -> Seat:
    return replace(seat, probed_at=None, is_away_told=False, declined_ply=None)
