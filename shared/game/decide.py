"""The one door to a table's rules: what an in-game action does, or why it is refused.

The order of the questions is DESIGN section 2: seated? a duplicate? live? in time? right game and
ply? Then the action's own rule. Plain values in, plain values out.
"""

from dataclasses import replace

from shared.game.actions.action import Asked, GameAction
from shared.game.clock import flag_at
from shared.game.events import Change, Repeat
from shared.game.outcome import Termination
from shared.game.refusal import (
    GameNotOver,
    GameOver,
    NotLive,
    NotSeated,
    StalePly,
    TableClosed,
    TooLate,
)
from shared.game.side import Side
from shared.game.table import RECENT_ACTIONS, RECENT_AFTER, Status, Table, remember


def decide(table: Table, action: GameAction, asked: Asked) -> Change | Repeat:
    """The table after `action`, or that it was done before. Raises Refusal."""
    side = table.side_of(asked.player_id)
    if side is None:
        raise NotSeated
    done_v = table.done_v(asked.player_id, asked.digest)
    if done_v is not None:
        return Repeat(done_v)
    _check_game(table, action)
    _check_status(table, action)
    _check_time(table, action, side, asked)
    _check_ply(table, action)
    change = action.apply(table, side, asked)
    return replace(change, table=_remembered(change.table, asked))


def _check_game(table: Table, action: GameAction) -> None:
    """An action of an earlier game of this table is stale, whatever that game's state was."""
    if action.game != table.game:
        raise StalePly(game=table.game, ply=table.ply)


def _check_status(table: Table, action: GameAction) -> None:
    if table.status in action.allowed_in:
        return
    if table.status is Status.OVER:
        is_closed = table.outcome and table.outcome.termination is Termination.CLOSED
        raise TableClosed if is_closed else GameOver
    raise GameNotOver if Status.OVER in action.allowed_in else NotLive


def _check_time(table: Table, action: GameAction, side: Side, asked: Asked) -> None:
    """From the fall of the flag on, by receipt, the side on move is too late (section 4)."""
    if table.status is not Status.LIVE or not action.is_timed or table.on_move is not side:
        return
    flag = flag_at(table.clock, table.time_control, table.ply)
    if flag is not None and asked.received_at >= flag:
        raise TooLate(flagAt=flag)


def _check_ply(table: Table, action: GameAction) -> None:
    is_stale = action.ply != table.ply if action.needs_current_ply else action.ply > table.ply
    if is_stale:
        raise StalePly(game=table.game, ply=table.ply)


def _remembered(table: Table, asked: Asked) -> Table:
    """The asker's seat knows the action as done; seats may have been swapped by it."""
    side = table.side_of(asked.player_id)
    if side is None:
        raise NotSeated
    most = RECENT_AFTER if table.status is Status.OVER else RECENT_ACTIONS
    return table.with_seat(side, remember(table.seat(side), asked.digest, table.v, most))
