"""The registry of in-game actions: adding one is a file here and its line."""

from shared.game.actions.abort import Abort
from shared.game.actions.action import GameAction
from shared.game.actions.claim_flag import ClaimFlag
from shared.game.actions.draw import AcceptDraw, DeclineDraw, OfferDraw
from shared.game.actions.leave_table import LeaveTable
from shared.game.actions.move import Move
from shared.game.actions.rematch import AcceptRematch, DeclineRematch, OfferRematch
from shared.game.actions.resign import Resign

ACTIONS: dict[str, type[GameAction]] = {
    str(action.__struct_config__.tag): action
    for action in (
        Move,
        Resign,
        Abort,
        OfferDraw,
        AcceptDraw,
        DeclineDraw,
        ClaimFlag,
        OfferRematch,
        AcceptRematch,
        DeclineRematch,
        LeaveTable,
    )
}
