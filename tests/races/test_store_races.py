"""Several processes on every conditional write: one wins, the others learn why they did not.

The loser of a race has changed nothing, and what the winner did is there in full.
"""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import wraps

import pytest

from shared.game.ids import ConnectionId
from shared.game.side import Side
from shared.game.table import Table
from shared.service.ports import (
    AlreadySeated,
    CodeClash,
    Conflict,
    ConnectionKey,
    ConnectionLost,
    TableWrite,
)
from shared.store.codes import FREE_MS, Codes
from shared.store.connections import Connections
from shared.store.games import Games
from shared.store.limits import Limits
from shared.store.models import PlayerRow, SettingRow, table_of
from shared.store.players import Players
from shared.store.tables import Tables
from tests.integration.store.scenes import (
    NOW,
    Seated,
    arrived,
    attaching,
    ending,
    joining,
    moving,
    new_id,
    new_table,
    rematching,
    somebody,
)
from tests.races import jobs
from tests.races.contenders import Contenders, Finish, Job

pytestmark = pytest.mark.races
ROUNDS = 40
TABLES = Tables(lambda: NOW)


def repeated(race: Callable[[Contenders], None]) -> Callable[[Contenders], None]:
    """The race run many times: who comes first is for chance to say."""

    @wraps(race)
    def run(contenders: Contenders) -> None:
        for _ in range(ROUNDS):
            race(contenders)

    return run


def _seat(key: ConnectionKey) -> str | None:
    player = Players().get(key.player_id)
    return player.seat if player else None


def _games(key: ConnectionKey) -> int:
    item = table_of(PlayerRow).get_item(key.player_id, consistent_read=True)["Item"]
    return int(item["games"]["N"]) if "games" in item else 0


def _other_socket(key: ConnectionKey) -> ConnectionKey:
    return arrived(replace(key, connection_id=ConnectionId(new_id())))


def _race(contenders: Contenders, *contesting: Job) -> list[Finish]:
    """In the order given, whichever process runs which."""
    order = random.sample(range(len(contesting)), len(contesting))
    finishes = contenders.race(*(contesting[index] for index in order))
    return [finishes[order.index(index)] for index in range(len(contesting))]


def _assert_one_won(finishes: list[Finish], loss: type[Exception]) -> int:
    winners = [index for index, finish in enumerate(finishes) if finish.has_won]
    assert len(winners) == 1
    assert {finish.lost_by for finish in finishes if not finish.has_won} == {loss}
    return winners[0]


def _waiting() -> tuple[Table, str]:
    new = new_table(arrived())
    TABLES.create(new)
    return new.table, new.meta.code


@repeated
def test_of_three_moves_on_one_position_one_is_played(contenders: Contenders) -> None:
    seated = Seated()
    moves = [moving(seated.table, bytes([0, n])) for n in range(3)]

    finishes = _race(contenders, *map(jobs.write, moves))

    winner = _assert_one_won(finishes, Conflict)
    assert TABLES.get(seated.table.table_id) == moves[winner].after


def test_no_move_is_lost_among_many(contenders: Contenders) -> None:
    seated = Seated()

    _race(contenders, *[jobs.play(seated.table.table_id, 40)] * 3)

    table = TABLES.get(seated.table.table_id)
    assert table is not None
    assert (table.ply, table.v, table.rev) == (120, seated.table.v + 120, seated.table.rev + 120)


@repeated
def test_of_three_who_join_one_sits_down(contenders: Contenders) -> None:
    table, code = _waiting()
    joiners = [arrived() for _ in range(3)]
    joins = [joining(table, joiner, code) for joiner in joiners]

    finishes = _race(contenders, *map(jobs.write, joins))

    winner = _assert_one_won(finishes, Conflict)
    assert TABLES.get(table.table_id) == joins[winner].after
    for index, joiner in enumerate(joiners):
        expected = table.table_id if index == winner else None
        assert _seat(joiner) == expected
        assert Connections().close(joiner, NOW) == expected


@repeated
def test_the_same_table_made_three_times_is_made_once(contenders: Contenders) -> None:
    maker = arrived()
    new = new_table(maker)
    attempts = [replace(new, meta=replace(new.meta, code=new_id())) for _ in range(3)]

    finishes = _race(contenders, *map(jobs.create, attempts))

    winner = _assert_one_won(finishes, AlreadySeated)
    assert TABLES.meta(new.table.table_id) == attempts[winner].meta
    codes = [Codes(jobs.now).get(attempt.meta.code) for attempt in attempts]
    assert [index for index, code in enumerate(codes) if code] == [winner]
    assert _seat(maker) == new.table.table_id


@repeated
def test_one_code_drawn_for_three_tables_is_one_tables(contenders: Contenders) -> None:
    makers, code = [arrived() for _ in range(3)], new_id()
    attempts = [new_table(maker, code) for maker in makers]

    finishes = _race(contenders, *map(jobs.create, attempts))

    winner = _assert_one_won(finishes, CodeClash)
    record = Codes(jobs.now).get(code)
    assert record is not None
    assert record.table_id == attempts[winner].table.table_id
    for index, (maker, attempt) in enumerate(zip(makers, attempts, strict=True)):
        has_won = index == winner
        assert (TABLES.get(attempt.table.table_id) is not None) == has_won
        assert (_seat(maker) is not None) == has_won


@repeated
def test_a_player_who_joins_two_tables_and_makes_one_sits_at_one(
    contenders: Contenders,
) -> None:
    player = arrived()
    sockets = [player, _other_socket(player), _other_socket(player)]
    (first, code), (second, other_code) = _waiting(), _waiting()
    new = new_table(sockets[2])

    finishes = _race(
        contenders,
        jobs.write(joining(first, sockets[0], code)),
        jobs.write(joining(second, sockets[1], other_code)),
        jobs.create(new),
    )

    winner = _assert_one_won(finishes, AlreadySeated)
    tables = [first.table_id, second.table_id, new.table.table_id]
    assert _seat(player) == tables[winner]
    found = [TABLES.get(table_id) for table_id in tables]
    sits = [bool(table and table.side_of(player.player_id)) for table in found]
    assert sits == [index == winner for index in range(3)]


@repeated
def test_a_game_that_ends_while_a_move_comes_in_has_ended_wholly_or_not_at_all(
    contenders: Contenders,
) -> None:
    seated = Seated()
    writes = [ending(seated.table), moving(seated.table)]

    finishes = _race(contenders, *map(jobs.write, writes))

    winner = _assert_one_won(finishes, Conflict)
    has_ended = winner == 0
    table_id = seated.table.table_id
    assert TABLES.get(table_id) == writes[winner].after
    assert (Games().record(table_id, 1) is not None) == has_ended
    for key in (seated.white, seated.black):
        assert _seat(key) == (None if has_ended else table_id)
        assert _games(key) == has_ended
        assert len(Games().history(key.player_id, 10)) == has_ended


@repeated
def test_of_three_endings_one_counts(contenders: Contenders) -> None:
    seated = Seated()
    endings = [ending(seated.table, winner, NOW + 5) for winner in (Side.WHITE, Side.BLACK, None)]

    finishes = _race(contenders, *map(jobs.write, endings))

    winner = _assert_one_won(finishes, Conflict)
    record = Games().record(seated.table.table_id, 1)
    assert record is not None
    assert record.outcome == endings[winner].after.outcome
    assert (_games(seated.white), _games(seated.black)) == (1, 1)


@repeated
def test_a_rematch_accepted_three_times_begins_once(contenders: Contenders) -> None:
    seated = Seated()
    seated.write(ending(seated.table))
    rematches = [rematching(seated.table, NOW + n) for n in range(3)]

    finishes = _race(contenders, *map(jobs.write, rematches))

    winner = _assert_one_won(finishes, Conflict)
    assert TABLES.get(seated.table.table_id) == rematches[winner].after
    assert {_seat(seated.white), _seat(seated.black)} == {seated.table.table_id}


@repeated
def test_no_rematch_begins_with_somebody_who_makes_a_table_meanwhile(
    contenders: Contenders,
) -> None:
    seated = Seated()
    over = seated.write(ending(seated.table))
    new = new_table(seated.black)

    finishes = _race(contenders, jobs.write(rematching(over)), jobs.create(new))

    has_rematch = _assert_one_won(finishes, AlreadySeated) == 0
    expected = (over.table_id, over.table_id) if has_rematch else (None, new.table.table_id)
    assert (_seat(seated.white), _seat(seated.black)) == expected
    table = TABLES.get(over.table_id)
    assert table is not None
    assert (table.game == 2) == has_rematch


@repeated
def test_a_socket_that_dies_while_it_is_attached_is_found_by_its_end_or_not_attached(
    contenders: Contenders,
) -> None:
    seated = Seated()
    socket = _other_socket(seated.white)

    attached, closed = _race(
        contenders, jobs.write(attaching(seated.table, socket)), jobs.close(socket)
    )

    table = TABLES.get(seated.table.table_id)
    assert table is not None
    assert attached.lost_by in {None, ConnectionLost}
    assert closed.returned == (table.table_id if attached.has_won else None)
    assert (socket.connection_id in table.white.connections) == attached.has_won


@repeated
def test_an_attach_and_a_move_do_not_overwrite_each_other(contenders: Contenders) -> None:
    seated = Seated()
    socket = _other_socket(seated.white)
    writes = [attaching(seated.table, socket), moving(seated.table)]

    finishes = _race(contenders, *map(jobs.write, writes))

    winner = _assert_one_won(finishes, Conflict)
    assert TABLES.get(seated.table.table_id) == writes[winner].after
    assert Connections().close(socket, NOW) == (None if winner else seated.table.table_id)


@repeated
def test_an_expired_code_goes_on_as_one_tables_or_the_others(
    contenders: Contenders,
) -> None:
    table, code = _waiting()
    joiner, maker = arrived(), arrived()
    join = joining(table, joiner, code, NOW + FREE_MS)
    new = replace(new_table(maker, code), now=NOW + FREE_MS)

    joined, made = _race(contenders, jobs.write(join), jobs.create(new))

    assert joined.has_won != made.has_won
    assert (joined.lost_by, made.lost_by) in {(Conflict, None), (None, CodeClash)}
    record = Codes(lambda: NOW + FREE_MS).get(code)
    assert record is not None
    assert record.is_taken == joined.has_won
    assert (_seat(joiner) is not None, _seat(maker) is not None) == (
        joined.has_won,
        made.has_won,
    )


@repeated
def test_a_socket_whose_end_and_beginning_are_told_at_once_has_ended(
    contenders: Contenders,
) -> None:
    key = somebody()

    _race(contenders, jobs.open_again(key), jobs.close(key))

    with pytest.raises(ConnectionLost):
        TABLES.create(new_table(key))


@repeated
def test_a_timer_armed_while_a_move_comes_in_is_armed_or_not_at_all(
    contenders: Contenders,
) -> None:
    seated = Seated()
    armed = replace(seated.table, timer_at=NOW, rev=seated.table.rev + 1)
    arming = TableWrite(seated.table, armed, now=NOW)

    finishes = _race(contenders, jobs.write(arming), jobs.write(moving(seated.table)))

    is_armed = _assert_one_won(finishes, Conflict) == 0
    assert (seated.table.table_id in TABLES.due(NOW + 20_000)) == is_armed


def test_no_count_is_lost_among_many(contenders: Contenders) -> None:
    subject = new_id()

    finishes = _race(contenders, *[jobs.count(subject, 50)] * 3)

    counted = [number for finish in finishes for number in list(finish.returned)]  # type: ignore[call-overload]
    assert sorted(counted) == list(range(1, 151))
    assert Limits().count(subject, jobs.WINDOW_MS, NOW) == 150


@repeated
def test_the_first_signing_key_is_the_same_for_all_who_make_it(
    contenders: Contenders,
) -> None:
    for row in SettingRow.scan(consistent_read=True):
        row.delete()

    finishes = _race(contenders, *[jobs.signing_keys()] * 3)

    assert len({finish.returned for finish in finishes}) == 1
