"""Reading a table and writing it alone: one call each, on the condition of `rev`."""

from dataclasses import replace

import pytest

from shared.game.ids import TableId
from shared.service.ports import Conflict, TableWrite
from shared.store.models import STATE, TableRow, table_of
from shared.store.tables import Tables
from tests.integration.store.calls import counted
from tests.integration.store.scenes import NOW, Seated, ending, moving, new_id, rematching

pytestmark = pytest.mark.usefixtures("table_names")
WEEK_MS = 7 * 24 * 3_600_000


def _mark(seated: Seated) -> None:
    """As the watchers will: an attribute of STATE that no table knows."""
    table_of(TableRow).update_item(seated.table.table_id, STATE, [TableRow.link_secret.set("w")])


def _is_marked(seated: Seated) -> bool:
    item = table_of(TableRow).get_item(seated.table.table_id, STATE, consistent_read=True)
    return "link_secret" in item["Item"]


def test_a_table_that_nobody_made_is_absent() -> None:
    tables = Tables(lambda: NOW)

    assert tables.get(TableId(new_id())) is None
    assert tables.meta(TableId(new_id())) is None


def test_a_table_is_read_as_it_was_written() -> None:
    seated = Seated()

    seated.write(moving(seated.table))

    assert seated.tables.get(seated.table.table_id) == seated.table
    assert seated.tables.meta(seated.table.table_id) == seated.new.meta


def test_a_write_on_an_old_revision_is_a_conflict_and_changes_nothing() -> None:
    seated = Seated()
    old = seated.table
    seated.write(moving(old))

    with pytest.raises(Conflict):
        seated.tables.write(moving(old, b"\x04\x04"))

    assert seated.tables.get(old.table_id) == seated.table


def test_a_write_to_a_table_that_is_gone_is_a_conflict_and_makes_none() -> None:
    seated = Seated()
    stranger = replace(seated.table, table_id=TableId(new_id()))

    with pytest.raises(Conflict):
        seated.tables.write(moving(stranger))

    assert seated.tables.get(stranger.table_id) is None


def test_a_read_is_one_call_and_one_unit() -> None:
    seated = Seated()

    with counted() as calls:
        seated.tables.get(seated.table.table_id)

    assert (calls.operations, calls.units) == (["GetItem"], [1.0])


def test_a_move_is_one_call_and_one_unit() -> None:
    seated = Seated()
    armed = replace(seated.table, timer_at=NOW + 62_000, rev=seated.table.rev + 1)
    seated.write(TableWrite(seated.table, armed))

    with counted() as calls:
        seated.write(moving(seated.table))

    assert (calls.operations, calls.units) == (["UpdateItem"], [1.0])


def test_a_move_of_a_long_game_is_two_units() -> None:
    seated = Seated()
    seated.write(moving(seated.table, bytes(900)))

    with counted() as calls:
        seated.write(moving(seated.table))

    assert (calls.operations, calls.units) == (["UpdateItem"], [2.0])


def test_arming_another_timer_is_three_units() -> None:
    seated = Seated()
    for timer_at in (NOW + 62_000, NOW + 122_000):
        armed = replace(seated.table, timer_at=timer_at, rev=seated.table.rev + 1)
        with counted() as calls:
            seated.write(TableWrite(seated.table, armed))

    assert (calls.operations, calls.units) == (["UpdateItem"], [3.0])


def test_what_others_set_survives_a_move_an_ending_and_a_rematch() -> None:
    seated = Seated()
    _mark(seated)

    for write in (moving, ending, rematching):
        seated.write(write(seated.table))
        assert _is_marked(seated)


def test_what_has_vanished_from_a_table_vanishes_from_its_item() -> None:
    seated = Seated()
    away = replace(seated.table.white, connections=(), away_since=NOW)
    gone = replace(seated.table, white=away, rev=seated.table.rev + 1)
    seated.write(TableWrite(seated.table, gone))
    back = replace(gone, white=seated.table.white, rev=gone.rev + 1)

    seated.write(TableWrite(gone, back))

    assert seated.tables.get(back.table_id) == back


def test_a_table_that_is_over_is_readable_for_a_week() -> None:
    seated = Seated()
    over = seated.write(ending(seated.table, now=NOW))

    assert Tables(lambda: NOW + WEEK_MS - 1).get(over.table_id) == over
    assert Tables(lambda: NOW + WEEK_MS).get(over.table_id) is None


def test_a_rematch_keeps_the_table_for_longer() -> None:
    seated = Seated()
    seated.write(ending(seated.table))

    again = seated.write(rematching(seated.table))

    assert Tables(lambda: NOW + 2 * WEEK_MS).get(again.table_id) == again


def test_the_sweep_finds_a_table_20_s_after_its_timer_and_no_sooner() -> None:
    seated = Seated()
    armed = replace(seated.table, timer_at=NOW + 62_000, rev=seated.table.rev + 1)
    seated.write(TableWrite(seated.table, armed))

    assert armed.table_id not in seated.tables.due(NOW + 81_999)
    assert armed.table_id in seated.tables.due(NOW + 82_000)


def test_the_sweep_does_not_find_a_table_without_a_timer() -> None:
    seated = Seated()
    armed = replace(seated.table, timer_at=NOW, rev=seated.table.rev + 1)
    seated.write(TableWrite(seated.table, armed))

    seated.write(TableWrite(armed, replace(armed, timer_at=None, rev=armed.rev + 1)))

    assert armed.table_id not in seated.tables.due(NOW + WEEK_MS)


def test_the_sweep_finds_tables_in_every_shard() -> None:
    made = [Seated() for _ in range(40)]
    for seated in made:
        armed = replace(seated.table, timer_at=NOW, rev=seated.table.rev + 1)
        seated.write(TableWrite(seated.table, armed))

    assert {seated.table.table_id for seated in made} <= set(made[0].tables.due(NOW + 20_000))
