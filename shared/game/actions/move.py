"""move: the side on move plays."""

from dataclasses import replace
from typing import Annotated, ClassVar

import msgspec

from shared.game.actions.action import Asked, GameAction
from shared.game.clock import press, thought
from shared.game.events import Change, Event, Happened
from shared.game.outcome import Outcome
from shared.game.packing import pack_think
from shared.game.presence import hear
from shared.game.refusal import NotYourTurn
from shared.game.rulesets import RULESETS
from shared.game.rulesets.ruleset import Played
from shared.game.side import Side
from shared.game.table import Table
from shared.game.verdicts import finish


class Move(GameAction, frozen=True, kw_only=True, tag="move"):
    """`uci` is two squares and, for a promotion, its letter: ``e7e8n``."""

    needs_current_ply: ClassVar[bool] = True

    uci: Annotated[str, msgspec.Meta(max_length=16)]

    def apply(self, table: Table, side: Side, asked: Asked) -> Change:
        """The move played, the clock pressed, the game perhaps over.

        Raises NotYourTurn, IllegalMove.
        """
        if table.on_move is not side:
            raise NotYourTurn
        played = RULESETS[table.ruleset].play(table.position, self.uci)
        moved = _pressed(_recorded(table, side, played, asked), side, asked)
        if played.ending is not None:
            ending = played.ending
            outcome = Outcome(ending.winner, ending.termination, asked.now)
            moved = finish(moved, outcome, asked.now)
        return Change(moved.seen(), Event(Happened.MOVED, side, played.uci, played.san))


def _recorded(table: Table, side: Side, played: Played, asked: Asked) -> Table:
    """The table with the move in its record; an offer of the opponent dies with it."""
    offer = table.draw_offer if table.draw_offer and table.draw_offer.side is side else None
    think = pack_think(thought(table.clock, asked.received_at))
    recorded = replace(
        table, moves=table.moves + played.packed, thinks=table.thinks + think, draw_offer=offer
    )
    if played.irreversible_fen is None:
        return recorded
    return replace(recorded, base_fen=played.irreversible_fen, base_ply=recorded.ply)


def _pressed(table: Table, side: Side, asked: Asked) -> Table:
    clock = press(
        table.clock, table.time_control, side, received_at=asked.received_at, now=asked.now
    )
    return replace(table.with_seat(side, hear(table.seat(side), asked.now)), clock=clock)
