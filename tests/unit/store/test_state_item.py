from dataclasses import fields, replace

from hypothesis import given

from shared.game.ids import TableId
from shared.game.side import Side
from shared.game.table import Seat, Status, Table
from shared.store.state_item import DUE_SHARDS, decode, due_shard, encode
from tests.support.playing import TABLE_ID, Playing
from tests.unit.store.tables import FIELDS, SEAT_FIELDS, tables

WEEK_S = 7 * 24 * 3600


@given(tables)
def test_any_table_comes_back_as_it_was_written(table: Table) -> None:
    assert decode(table.table_id, encode(table)) == table


def test_the_property_test_tries_every_field() -> None:
    assert set(FIELDS) == {field.name for field in fields(Table)}
    assert set(SEAT_FIELDS) == {field.name for field in fields(Seat)}


def test_a_played_game_comes_back_with_its_draw_offer_and_position() -> None:
    table = Playing.start().play("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6").table

    assert decode(TABLE_ID, encode(table)).position == table.position


def test_defaults_take_no_attribute() -> None:
    table = Playing.start().table

    item = encode(replace(table, white=replace(table.white, recent=())))

    assert not {"pu", "fp", "mv", "th", "do", "ro", "oc", "sx", "wr", "wq", "wa", "wt"} & set(item)


def test_a_table_is_found_by_the_sweep_only_while_a_timer_is_armed() -> None:
    table = Playing.start().table

    armed = encode(replace(table, timer_at=1_800_000_060_000))
    idle = encode(replace(table, timer_at=None))

    assert armed["due_at"] == {"N": "1800000080000"}
    assert armed["due_shard"]["S"] in DUE_SHARDS
    assert not {"due_at", "due_shard"} & set(idle)


def test_a_table_that_is_over_expires_after_a_week_and_no_other() -> None:
    table = Playing.start().table

    over = encode(replace(table, status=Status.OVER, since=1_800_000_000_999))

    assert over["expires_at"] == {"N": str(1_800_000_000 + WEEK_S)}
    assert "expires_at" not in encode(table)


def test_player_ids_stay_when_the_game_is_over() -> None:
    playing = Playing.start().play("e2e4 e7e5")
    playing.agree(Side.WHITE)

    item = encode(playing.table)

    assert item["wp"]["S"] == playing.table.white.player_id
    assert item["bp"]["S"] == playing.table.black.player_id


def test_tables_spread_over_all_shards_of_the_index() -> None:
    shards = {due_shard(TableId(f"{n:016}")) for n in range(400)}

    assert shards == set(DUE_SHARDS)
