"""Finished games: one record each, and one line in either player's history, newest first."""

from dataclasses import dataclass

from shared.game.clock import Clock, TimeControl
from shared.game.ids import PlayerId, TableId
from shared.game.outcome import Outcome, Termination
from shared.game.side import Side
from shared.service.ports import Conflict, GameRecord
from shared.store.models import GameRow, HistoryRow
from shared.store.transaction import Step, put

RECORD = "record"
_LATEST = 9_999_999_999_999
"""Later than any instant a history will see: what is left to it sorts the newest first."""


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A finished game as it was kept; instants in epoch ms."""

    table_id: TableId
    game: int
    ruleset: str
    time_control: TimeControl
    white: PlayerId
    black: PlayerId
    outcome: Outcome
    result: str
    began_at: int
    clock: Clock
    """As it stopped; when the last turn began is not kept, nor what the server took."""
    moves: bytes
    thinks: bytes
    secret: bytes


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One game as it stands in a player's history."""

    table_id: TableId
    game: int
    ruleset: str
    side: Side
    opponent: PlayerId
    result: str
    termination: Termination
    ended_at: int


class Games:
    """The games that were finished."""

    def record(self, table_id: TableId, game: int) -> FinishedGame | None:
        """The record of that game of that table."""
        try:
            row = GameRow.get(_record_key(table_id, game), RECORD, consistent_read=True)
        except GameRow.DoesNotExist:
            return None
        return _read_record(row)

    def history(self, player_id: PlayerId, limit: int) -> list[HistoryLine]:
        """The player's last games, newest first."""
        rows = HistoryRow.query(_history_key(player_id), consistent_read=True, limit=limit)
        return [_read_line(row) for row in rows]


def keep(finished: GameRecord) -> list[Step]:
    """The record and both histories, none of which may exist yet: a result counts once."""
    rows = [_history(finished, Side.WHITE), _history(finished, Side.BLACK)]
    return [
        put(_record(finished), GameRow.pk.does_not_exist(), Conflict()),
        *(put(row, HistoryRow.pk.does_not_exist(), Conflict()) for row in rows),
    ]


def _record(finished: GameRecord) -> GameRow:
    table, outcome = finished.table, finished.outcome
    return GameRow(
        pk=_record_key(table.table_id, table.game),
        sk=RECORD,
        table_id=table.table_id,
        game=table.game,
        ruleset=table.ruleset,
        white=finished.white,
        black=finished.black,
        result=outcome.result,
        winner=outcome.winner,
        termination=outcome.termination,
        began_at=table.began_at,
        ended_at=outcome.at,
        total_ms=table.time_control.total_ms,
        per_move_ms=table.time_control.per_move_ms,
        increment_ms=table.time_control.increment_ms,
        white_ms=table.clock.white_ms,
        black_ms=table.clock.black_ms,
        moves=table.moves or None,
        thinks=table.thinks or None,
        secret=table.secret or None,
    )


def _history(finished: GameRecord, side: Side) -> HistoryRow:
    table, outcome = finished.table, finished.outcome
    players = (finished.white, finished.black)
    player, opponent = players if side is Side.WHITE else reversed(players)
    return HistoryRow(
        pk=_history_key(player),
        sk=f"{_LATEST - outcome.at:013}#{table.table_id}#{table.game}",
        table_id=table.table_id,
        game=table.game,
        ruleset=table.ruleset,
        side=side,
        opponent=opponent,
        result=outcome.result,
        termination=outcome.termination,
        ended_at=outcome.at,
    )


def _read_record(row: GameRow) -> FinishedGame:
    winner = None if row.winner is None else Side(row.winner)
    return FinishedGame(
        table_id=TableId(row.table_id),
        game=int(row.game),
        ruleset=row.ruleset,
        time_control=TimeControl(
            _whole(row.total_ms), _whole(row.per_move_ms), int(row.increment_ms)
        ),
        white=PlayerId(row.white),
        black=PlayerId(row.black),
        outcome=Outcome(winner, Termination(row.termination), int(row.ended_at)),
        result=row.result,
        began_at=int(row.began_at),
        clock=Clock(_whole(row.white_ms), _whole(row.black_ms), int(row.ended_at)),
        moves=row.moves or b"",
        thinks=row.thinks or b"",
        secret=row.secret or b"",
    )


def _read_line(row: HistoryRow) -> HistoryLine:
    return HistoryLine(
        table_id=TableId(row.table_id),
        game=int(row.game),
        ruleset=row.ruleset,
        side=Side(row.side),
        opponent=PlayerId(row.opponent),
        result=row.result,
        termination=Termination(row.termination),
        ended_at=int(row.ended_at),
    )


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _record_key(table_id: TableId, game: int) -> str:
    return f"game#{table_id}#{game}"


def _history_key(player_id: PlayerId) -> str:
    return f"player#{player_id}"
