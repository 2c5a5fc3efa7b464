"""Making a table: STATE, META, code, seat and connection, or nothing at all."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.game.ids import ConnectionId
from shared.service.ports import (
    AlreadySeated,
    CodeClash,
    CodeRecord,
    Conflict,
    ConnectionKey,
    ConnectionLost,
    PlayerRecord,
)
from shared.store.codes import FREE_MS, Codes
from shared.store.connections import Connections
from shared.store.players import Players
from shared.store.tables import Tables
from tests.integration.store.calls import counted
from tests.integration.store.rows import all_rows
from tests.integration.store.scenes import (
    NOW,
    Seated,
    arrived,
    departed,
    ending,
    new_table,
    somebody,
)

pytestmark = pytest.mark.usefixtures("table_names")
TABLES = Tables(lambda: NOW)


def test_a_new_table_has_its_state_code_seat_and_connection() -> None:
    maker = arrived()
    new = new_table(maker)

    TABLES.create(new)

    table_id, code = new.table.table_id, new.meta.code
    assert TABLES.get(table_id) == new.table
    assert TABLES.meta(table_id) == new.meta
    free = CodeRecord(code, table_id, is_taken=False, until=NOW + FREE_MS)
    assert Codes(lambda: NOW).get(code) == free
    assert Players().get(maker.player_id) == PlayerRecord(maker.player_id, seat=table_id)
    assert Connections().close(maker, NOW) == table_id


def test_making_a_table_is_one_transaction_that_botocore_may_send_again() -> None:
    makers = [new_table(arrived()) for _ in range(2)]

    with counted() as calls:
        for new in makers:
            TABLES.create(new)

    assert calls.operations == ["TransactWriteItems"] * 2
    assert all(calls.tokens)
    assert len(set(calls.tokens)) == 2


def test_the_same_table_twice_is_the_seat_that_its_maker_holds() -> None:
    maker = arrived()
    new = new_table(maker)
    TABLES.create(new)
    before = all_rows()

    with pytest.raises(AlreadySeated) as raised:
        TABLES.create(replace(new, meta=replace(new.meta, code="another")))

    assert raised.value.player_id == maker.player_id
    assert all_rows() == before


def test_a_table_that_exists_and_that_its_maker_has_left_is_a_conflict() -> None:
    seated = Seated()
    seated.write(ending(seated.table))
    before = all_rows()

    with pytest.raises(Conflict):
        TABLES.create(replace(seated.new, meta=replace(seated.new.meta, code="another")))

    assert all_rows() == before


def test_a_code_in_use_is_a_clash() -> None:
    first = new_table(arrived())
    TABLES.create(first)
    second = new_table(arrived(), first.meta.code)
    before = all_rows()

    with pytest.raises(CodeClash):
        TABLES.create(second)

    assert all_rows() == before


def test_a_taken_code_is_a_clash_until_it_has_expired() -> None:
    seated = Seated()
    code = seated.new.meta.code
    again = new_table(arrived(), code)

    with pytest.raises(CodeClash):
        TABLES.create(replace(again, now=NOW + 15 * 60_000 - 1))

    TABLES.create(replace(again, now=NOW + 15 * 60_000))
    found = Codes(lambda: NOW + 15 * 60_000).get(code)
    assert found is not None
    assert (found.table_id, found.is_taken) == (again.table.table_id, False)


def test_a_maker_who_sits_elsewhere_makes_no_table() -> None:
    seated = Seated()
    before = all_rows()

    with pytest.raises(AlreadySeated) as raised:
        TABLES.create(new_table(seated.black))

    assert raised.value.player_id == seated.black.player_id
    assert all_rows() == before


@pytest.mark.parametrize("find", [departed, somebody])
def test_a_connection_that_is_dead_or_unknown_makes_no_table(
    find: Callable[[], ConnectionKey],
) -> None:
    maker = find()
    before = all_rows()

    with pytest.raises(ConnectionLost):
        TABLES.create(new_table(maker))

    assert all_rows() == before


def test_a_player_who_sits_elsewhere_is_told_that_and_not_that_his_socket_is_dead() -> None:
    seated = Seated()
    dead = replace(seated.white, connection_id=ConnectionId("never-opened"))

    with pytest.raises(AlreadySeated):
        TABLES.create(new_table(dead))


def test_a_new_table_makes_its_maker_forget_the_last_one() -> None:
    seated = Seated()
    seated.write(ending(seated.table))
    new = new_table(seated.white)

    TABLES.create(new)

    player_id = seated.white.player_id
    assert Players().get(player_id) == PlayerRecord(player_id, seat=new.table.table_id)
