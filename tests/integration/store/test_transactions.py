"""Writes of a table with something along: seats, connections, codes, results; all or nothing."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.game.clock import Clock
from shared.game.ids import ConnectionId
from shared.game.outcome import Termination
from shared.game.side import Side
from shared.service.ports import (
    AlreadySeated,
    CodeRecord,
    Conflict,
    ConnectionKey,
    ConnectionLost,
    PlayerRecord,
    TableWrite,
)
from shared.store.codes import TAKEN_MS, Codes
from shared.store.connections import Connections
from shared.store.games import FinishedGame, Games, HistoryLine
from shared.store.models import PlayerRow, table_of
from shared.store.players import Players
from shared.store.tables import Tables
from tests.integration.store.calls import counted
from tests.integration.store.rows import all_rows
from tests.integration.store.scenes import (
    NOW,
    Seated,
    arrived,
    attaching,
    departed,
    ending,
    joining,
    moving,
    new_table,
    rematching,
    somebody,
)

pytestmark = pytest.mark.usefixtures("table_names")
TABLES = Tables(lambda: NOW)
WEEK_MS = 7 * 24 * 3_600_000


def _second_connection(seated: Seated) -> ConnectionKey:
    return replace(seated.white, connection_id=ConnectionId("second-socket="))


def _totals(key: ConnectionKey) -> dict[str, str]:
    item = table_of(PlayerRow).get_item(key.player_id, consistent_read=True)["Item"]
    numbers = {name: value["N"] for name, value in item.items() if "N" in value}
    del numbers["last_table_until"]
    return numbers


# Joining


def test_joining_seats_the_player_attaches_his_connection_and_takes_the_code() -> None:
    seated = Seated()

    table_id, code = seated.table.table_id, seated.new.meta.code
    player_id = seated.black.player_id
    assert TABLES.get(table_id) == seated.table
    assert Players().get(player_id) == PlayerRecord(player_id, seat=table_id)
    taken = CodeRecord(code, table_id, is_taken=True, until=NOW + TAKEN_MS)
    assert Codes(lambda: NOW).get(code) == taken
    assert Connections().close(seated.black, NOW) == table_id


def test_a_write_with_something_along_is_one_transaction() -> None:
    seated = Seated()

    with counted() as calls:
        seated.write(ending(seated.table))

    assert calls.operations == ["TransactWriteItems"]


def test_somebody_who_sits_elsewhere_does_not_join() -> None:
    elsewhere, new = Seated(), new_table(arrived())
    TABLES.create(new)
    before = all_rows()

    with pytest.raises(AlreadySeated) as raised:
        TABLES.write(joining(new.table, elsewhere.black, new.meta.code))

    assert raised.value.player_id == elsewhere.black.player_id
    assert all_rows() == before


def test_somebody_whose_connection_has_died_does_not_join() -> None:
    new, joiner = new_table(arrived()), departed()
    TABLES.create(new)
    before = all_rows()

    with pytest.raises(ConnectionLost):
        TABLES.write(joining(new.table, joiner, new.meta.code))

    assert all_rows() == before


def test_joining_by_a_code_that_is_not_this_tables_is_a_conflict() -> None:
    new, free = new_table(arrived()), new_table(arrived())
    TABLES.create(new)
    TABLES.create(free)
    joiner, taken = arrived(), Seated()
    before = all_rows()

    for code in (free.meta.code, taken.new.meta.code, "nobodys"):
        with pytest.raises(Conflict):
            TABLES.write(joining(new.table, joiner, code))

    assert all_rows() == before


def test_a_code_is_not_taken_twice() -> None:
    seated = Seated()
    before = all_rows()

    with pytest.raises(Conflict):
        TABLES.write(replace(moving(seated.table), takes_code=seated.new.meta.code))

    assert all_rows() == before


def test_whoever_comes_second_to_a_seat_gathers_again_though_he_sits_elsewhere_too() -> None:
    elsewhere, seated = Seated(), Seated()

    with pytest.raises(Conflict):
        TABLES.write(joining(seated.new.table, elsewhere.black, seated.new.meta.code))


def test_joining_makes_a_player_forget_his_last_table() -> None:
    seated = Seated()
    seated.write(ending(seated.table))
    new = new_table(arrived())
    TABLES.create(new)

    TABLES.write(joining(new.table, seated.black, new.meta.code))

    player_id = seated.black.player_id
    assert Players().get(player_id) == PlayerRecord(player_id, seat=new.table.table_id)


# Attaching


def test_attaching_tells_the_connection_its_table() -> None:
    seated = Seated()
    second = arrived(_second_connection(seated))

    seated.write(attaching(seated.table, second))

    assert TABLES.get(seated.table.table_id) == seated.table
    assert Connections().close(second, NOW) == seated.table.table_id


@pytest.mark.parametrize("find", [departed, lambda key: key])
def test_a_dead_or_unknown_connection_is_not_attached(
    find: Callable[[ConnectionKey], ConnectionKey],
) -> None:
    seated = Seated()
    second = find(_second_connection(seated))
    before = all_rows()

    with pytest.raises(ConnectionLost):
        TABLES.write(attaching(seated.table, second))

    assert all_rows() == before


def test_attaching_on_an_old_revision_is_a_conflict() -> None:
    seated = Seated()
    second = arrived(_second_connection(seated))
    late = attaching(seated.table, second)
    seated.write(moving(seated.table))

    with pytest.raises(Conflict):
        TABLES.write(late)

    assert Connections().close(second, NOW) is None


# Ending


def test_an_ending_releases_both_seats_and_remembers_the_table_for_a_week() -> None:
    seated = Seated()
    over = seated.write(ending(seated.table, now=NOW))

    for key in (seated.white, seated.black):
        record = PlayerRecord(key.player_id, None, over.table_id, NOW + WEEK_MS)
        assert Players().get(key.player_id) == record
    stored = TABLES.get(over.table_id)
    assert stored is not None
    assert (stored.white, stored.black) == (over.white, over.black)


def test_an_ending_without_a_result_releases_and_counts_nothing() -> None:
    seated = Seated()
    seated.write(replace(ending(seated.table), finished=None))

    assert _totals(seated.white) == {}
    assert Games().record(seated.table.table_id, 1) is None
    assert Games().history(seated.white.player_id, 10) == []


def test_a_maker_who_waits_alone_is_released_too() -> None:
    maker = arrived()
    new = new_table(maker)
    TABLES.create(new)

    after = replace(new.table, rev=2)
    TABLES.write(TableWrite(new.table, after, releases=(maker.player_id,), now=NOW))

    player = Players().get(maker.player_id)
    assert player is not None
    assert (player.seat, player.last_table) == (None, new.table.table_id)


@pytest.mark.parametrize(
    ("winner", "white", "black", "result"),
    [
        (Side.WHITE, "won", "lost", "1-0"),
        (Side.BLACK, "lost", "won", "0-1"),
        (None, "drawn", "drawn", "1/2-1/2"),
    ],
)
def test_a_result_is_counted_for_both(
    winner: Side | None, white: str, black: str, result: str
) -> None:
    seated = Seated()
    seated.write(ending(seated.table, winner))

    assert _totals(seated.white) == {"games": "1", f"standard_{white}": "1"}
    assert _totals(seated.black) == {"games": "1", f"standard_{black}": "1"}
    assert [line.result for line in Games().history(seated.black.player_id, 10)] == [result]


def test_a_finished_game_is_kept_with_both_histories() -> None:
    seated = Seated()
    seated.write(moving(seated.table))
    write = ending(seated.table, Side.BLACK)
    over = seated.write(write)

    assert write.finished is not None
    outcome = write.finished.outcome
    white, black = seated.white.player_id, seated.black.player_id
    assert Games().record(over.table_id, 1) == FinishedGame(
        table_id=over.table_id,
        game=1,
        ruleset="standard",
        time_control=over.time_control,
        white=white,
        black=black,
        outcome=outcome,
        result="0-1",
        began_at=over.began_at,
        clock=Clock(over.clock.white_ms, over.clock.black_ms, outcome.at),
        moves=over.moves,
        thinks=over.thinks,
        secret=b"",
    )
    assert Games().history(white, 10) == [
        HistoryLine(
            table_id=over.table_id,
            game=1,
            ruleset="standard",
            side=Side.WHITE,
            opponent=black,
            result="0-1",
            termination=Termination.RESIGNATION,
            ended_at=outcome.at,
        )
    ]


def test_history_is_read_newest_first() -> None:
    seated = Seated()
    seated.write(ending(seated.table, now=NOW + 1_000))
    seated.write(rematching(seated.table))
    seated.write(ending(seated.table, now=NOW + 999_000))

    history = Games().history(seated.white.player_id, 10)

    assert [line.game for line in history] == [2, 1]
    assert [line.game for line in Games().history(seated.white.player_id, 1)] == [2]


def test_a_game_is_counted_once_however_often_it_ends() -> None:
    seated = Seated()
    write = ending(seated.table)
    seated.write(write)
    before = all_rows()

    with pytest.raises(Conflict):
        TABLES.write(write)

    assert all_rows() == before


def test_a_game_that_is_kept_is_not_kept_anew() -> None:
    seated = Seated()
    seated.write(ending(seated.table))
    same_game = replace(rematching(seated.table).after, game=1)
    seated.write(replace(rematching(seated.table), after=same_game))
    before = all_rows()

    with pytest.raises(Conflict):
        TABLES.write(ending(seated.table, now=NOW + 9_000))

    assert all_rows() == before


def test_an_ending_that_comes_too_late_does_nothing() -> None:
    seated = Seated()
    write = ending(seated.table)
    seated.write(moving(seated.table))
    before = all_rows()

    with pytest.raises(Conflict):
        TABLES.write(write)

    assert all_rows() == before


def test_an_ending_is_a_conflict_while_a_player_sits_elsewhere() -> None:
    seated = Seated()
    lost = somebody()
    stranger = replace(ending(seated.table), releases=(seated.white.player_id, lost.player_id))
    before = all_rows()

    with pytest.raises(Conflict):
        TABLES.write(replace(stranger, finished=None))

    assert all_rows() == before


# Rematch


def test_a_rematch_claims_both_seats_and_forgets_the_last_table() -> None:
    seated = Seated()
    seated.write(ending(seated.table))

    again = seated.write(rematching(seated.table))

    for key in (seated.white, seated.black):
        assert Players().get(key.player_id) == PlayerRecord(key.player_id, seat=again.table_id)


def test_no_rematch_with_somebody_who_has_sat_down_elsewhere() -> None:
    seated = Seated()
    seated.write(ending(seated.table))
    TABLES.create(new_table(seated.black))
    before = all_rows()

    with pytest.raises(AlreadySeated) as raised:
        TABLES.write(rematching(seated.table))

    assert raised.value.player_id == seated.black.player_id
    assert all_rows() == before


def test_the_second_game_is_counted_and_kept_beside_the_first() -> None:
    seated = Seated()
    for write in (ending, rematching, ending):
        seated.write(write(seated.table))

    assert _totals(seated.white) == {"games": "2", "standard_won": "1", "standard_lost": "1"}
    assert Games().record(seated.table.table_id, 1) is not None
    assert Games().record(seated.table.table_id, 2) is not None
