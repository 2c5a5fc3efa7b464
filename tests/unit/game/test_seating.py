"""Making a table and sitting down: who gets which side, and when there is no seat."""

import pytest

from shared.game.actions.abort import Abort
from shared.game.actions.leave_table import LeaveTable
from shared.game.actions.move import Move
from shared.game.actions.resign import Resign
from shared.game.clock import TimeControl
from shared.game.events import Happened, Repeat
from shared.game.ids import ConnectionId, Fen, PlayerId, TableId
from shared.game.refusal import Refusal
from shared.game.rulesets import RULESETS
from shared.game.seating import Sitter, Wishes, chance_side, make_table, sit_down
from shared.game.side import Side
from shared.game.table import Status, Table
from tests.support.playing import (
    BEGAN_AT,
    BLACK_PLAYER,
    STRANGER,
    TABLE_ID,
    WHITE_PLAYER,
    Playing,
    action_id,
    digest_of,
)

WHITE, BLACK = Side
JOINED = action_id(900)
START = Fen(RULESETS["standard"].start_fen())


def sitter(player: PlayerId, said: str) -> Sitter:
    return Sitter(player, ConnectionId(f"socket of {player}"), digest_of(said))


def made(side: Side | None = WHITE, table_id: TableId = TABLE_ID) -> Table:
    wishes = Wishes("standard", TimeControl(), side)
    return make_table(table_id, wishes, sitter(WHITE_PLAYER, "made"), START, BEGAN_AT).table


def joined(table: Table) -> Table:
    return sit_down(table, sitter(BLACK_PLAYER, JOINED), BEGAN_AT).table


@pytest.mark.parametrize("side", Side)
def test_the_maker_sits_where_he_wishes_and_the_other_opposite(side: Side) -> None:
    table = made(side)
    assert table.seat(side).player_id == WHITE_PLAYER
    assert table.seat(side.other).player_id is None
    assert (table.status, table.v) == (Status.WAITING, 1)

    full = joined(table)

    assert full.side_of(WHITE_PLAYER) is side
    assert full.side_of(BLACK_PLAYER) is side.other
    assert (full.status, full.v) == (Status.LIVE, 2)


def test_chance_gives_either_side_about_half_of_the_time_and_always_the_same() -> None:
    ids = [TableId(f"table-of-chance-{n}") for n in range(400)]

    whites = sum(made(None, table_id).white.player_id is not None for table_id in ids)

    assert 150 < whites < 250
    assert all(made(None, t).seat(chance_side(t)).player_id == WHITE_PLAYER for t in ids)


def test_a_third_finds_no_seat() -> None:
    """C077: whoever comes second to the last seat."""
    with pytest.raises(Refusal) as refused:
        sit_down(joined(made()), sitter(STRANGER, "late"), BEGAN_AT)

    assert refused.value.code == "tableFull"


def test_nobody_sits_down_where_the_table_was_given_up() -> None:
    playing = Playing(made())
    playing.act(WHITE, LeaveTable)

    with pytest.raises(Refusal) as refused:
        sit_down(playing.table, sitter(STRANGER, "late"), BEGAN_AT)

    assert refused.value.code == "tableClosed"
    assert playing.ending == ("closed", "*")


def test_a_game_called_off_at_once_was_no_table_given_up() -> None:
    playing = Playing(joined(made()))
    playing.act(WHITE, Abort)

    with pytest.raises(Refusal) as refused:
        sit_down(playing.table, sitter(STRANGER, "late"), BEGAN_AT)

    assert refused.value.code == "gameOver"


def test_nobody_sits_down_where_a_game_was_played() -> None:
    playing = Playing(joined(made())).play("e2e4 e7e5")
    playing.act(WHITE, Resign)

    with pytest.raises(Refusal) as refused:
        sit_down(playing.table, sitter(STRANGER, "late"), BEGAN_AT)

    assert refused.value.code == "gameOver"


def test_a_repeated_join_is_known() -> None:
    table = joined(made())
    playing = Playing(table)

    assert playing.act(BLACK, Resign, said=JOINED) == Repeat(table.v)


@pytest.mark.parametrize("side", Side)
def test_either_may_close_the_table_while_play_has_not_begun(side: Side) -> None:
    playing = Playing(made())
    playing.leave(WHITE, 0)
    playing = Playing(joined(playing.table))
    assert playing.table.status is Status.SEATED

    playing.act(side, LeaveTable, at=5_000)

    assert playing.ending == ("closed", "*")
    assert playing.events[-1].name is Happened.ENDED
    assert playing.events[-1].by is side


@pytest.mark.parametrize("status", [Status.WAITING, Status.SEATED])
def test_before_play_begins_there_is_nothing_to_play_resign_or_abort(status: Status) -> None:
    playing = Playing(made())
    if status is Status.SEATED:
        playing.leave(WHITE, 0)
        playing = Playing(joined(playing.table))
    assert playing.table.status is status

    assert playing.refused(WHITE, Move, uci="e2e4").code == "notLive"
    assert playing.refused(WHITE, Resign).code == "notLive"
    assert playing.refused(WHITE, Abort).code == "notLive"


def test_after_a_table_was_closed_every_action_says_so() -> None:
    playing = Playing(made())
    playing.act(WHITE, LeaveTable)

    assert playing.refused(WHITE, Move, uci="e2e4").code == "tableClosed"
    assert playing.refused(WHITE, LeaveTable).code == "tableClosed"
