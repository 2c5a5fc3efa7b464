"""Making a table and sitting down at one."""

import hashlib
from dataclasses import dataclass, replace

from shared.game.clock import TimeControl
from shared.game.events import Change, Event, Happened
from shared.game.ids import ConnectionId, Fen, PlayerId, TableId
from shared.game.presence import begin, both_present
from shared.game.refusal import GameOver, TableClosed, TableFull
from shared.game.side import Side
from shared.game.table import Seat, Status, Table, remember


@dataclass(frozen=True, slots=True)
class Sitter:
    """Who sits down: the player, the socket he does it from, and the hash of his action's id."""

    player_id: PlayerId
    connection_id: ConnectionId
    digest: bytes


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the maker of a table wants; no side: left to chance."""

    ruleset: str
    time_control: TimeControl
    side: Side | None
    is_public: bool = False


def make_table(
    table_id: TableId, wishes: Wishes, sitter: Sitter, start_fen: Fen, now: int
) -> Change:
    """A new table with its maker seated, waiting for the other."""
    table = Table(
        table_id, wishes.ruleset, wishes.time_control, start_fen, now, is_public=wishes.is_public
    )
    side = wishes.side or chance_side(table_id)
    seated = table.with_seat(side, _seat(sitter, now, 1)).seen()
    return Change(seated, Event(Happened.CREATED, side))


def sit_down(table: Table, sitter: Sitter, now: int) -> Change:
    """The table with its second player seated. Raises TableFull, TableClosed, GameOver."""
    if table.status is Status.OVER:
        raise TableClosed if table.is_closed else GameOver
    if table.status is not Status.WAITING:
        raise TableFull
    side = Side.BLACK if table.white.player_id else Side.WHITE
    taken = table.with_seat(side, _seat(sitter, now, table.v + 1))
    seated = replace(taken, status=Status.SEATED, since=now)
    begun = begin(seated, now) if both_present(seated) else seated
    return Change(begun.seen(), Event(Happened.SEATED, side))


def chance_side(table_id: TableId) -> Side:
    """A side drawn by the table's id, which nobody can steer."""
    is_odd = hashlib.sha256(table_id.encode()).digest()[0] % 2
    return Side.BLACK if is_odd else Side.WHITE


def _seat(sitter: Sitter, now: int, v: int) -> Seat:
    seat = Seat(sitter.player_id, (sitter.connection_id,), heard_at=now)
    return remember(seat, sitter.digest, v)
