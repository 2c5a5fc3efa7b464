"""What a table's write does to its players: seats claimed and released, results counted.

DynamoDB takes one operation per item in a transaction, so a release and a result are one update.
Totals are attributes `games` and, per ruleset, `<ruleset>_won`, `_lost`, `_drawn`.
"""

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from shared.game.ids import PlayerId, TableId
from shared.game.side import Side
from shared.service.ports import AlreadySeated, Conflict, GameRecord, TableWrite
from shared.store.models import PlayerRow
from shared.store.transaction import Step, update

LAST_TABLE_MS = 7 * 24 * 3_600_000
"""How long a player without a seat is shown the table he left."""


def claim_first(player_id: PlayerId, table_id: TableId) -> Step:
    """The seat of somebody who may hold none at all: the maker of a table."""
    return _claim(player_id, table_id, PlayerRow.seat.does_not_exist())


def claim(player_id: PlayerId, table_id: TableId) -> Step:
    """The seat of somebody who holds no other."""
    is_free = PlayerRow.seat.does_not_exist() | (PlayerRow.seat == table_id)
    return _claim(player_id, table_id, is_free)


def release(player_id: PlayerId, write: TableWrite) -> Step:
    """No seat any more, this table as the last one, and what the game counts for."""
    table_id = write.after.table_id
    actions: list[Action] = [
        PlayerRow.seat.remove(),
        PlayerRow.last_table.set(table_id),
        PlayerRow.last_table_until.set(write.now + LAST_TABLE_MS),
    ]
    if write.finished is not None:
        actions += _count(player_id, write.finished)
    return update(PlayerRow(player_id), actions, PlayerRow.seat == table_id, Conflict())


def _claim(player_id: PlayerId, table_id: TableId, is_free: Condition) -> Step:
    actions = [
        PlayerRow.seat.set(table_id),
        PlayerRow.last_table.remove(),
        PlayerRow.last_table_until.remove(),
    ]
    return update(PlayerRow(player_id), actions, is_free, AlreadySeated(player_id))


def _count(player_id: PlayerId, finished: GameRecord) -> list[Action]:
    side = Side.WHITE if player_id == finished.white else Side.BLACK
    winner = finished.outcome.winner
    kind = "drawn" if winner is None else "won" if winner is side else "lost"
    total = Path([f"{finished.table.ruleset}_{kind}"])
    return [PlayerRow.games.add(1), total.add(1)]
