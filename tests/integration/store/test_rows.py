"""Codes, players, connections and limits on their own."""

import pytest

from shared.game.ids import PlayerId
from shared.service.ports import Arrival, ConnectionLost
from shared.store.codes import FREE_MS, TAKEN_MS, Codes
from shared.store.connections import Connections
from shared.store.limits import Limits
from shared.store.models import ConnectionRow, table_of
from shared.store.players import Players
from shared.store.tables import Tables
from tests.integration.store.scenes import NOW, Seated, arrived, new_id, new_table, somebody

pytestmark = pytest.mark.usefixtures("table_names")
HOUR_MS = 3_600_000
MINUTE_MS = 60_000


def _row(key_player: str, connection: str) -> dict[str, dict[str, str]]:
    answer = table_of(ConnectionRow).get_item(key_player, connection, consistent_read=True)
    row: dict[str, dict[str, str]] = answer.get("Item", {})
    return row


def test_an_unknown_code_and_an_unknown_player_are_absent() -> None:
    assert Codes(lambda: NOW).get(new_id()) is None
    assert Players().get(PlayerId(new_id())) is None


def test_a_code_past_its_expiry_is_absent() -> None:
    new = new_table(arrived())
    Tables(lambda: NOW).create(new)

    assert Codes(lambda: NOW + FREE_MS - 1).get(new.meta.code) is not None
    assert Codes(lambda: NOW + FREE_MS).get(new.meta.code) is None


def test_a_taken_code_is_known_for_15_minutes() -> None:
    code = Seated().new.meta.code

    assert Codes(lambda: NOW + TAKEN_MS - 1).get(code) is not None
    assert Codes(lambda: NOW + TAKEN_MS).get(code) is None


def test_an_open_connection_keeps_what_it_came_with_for_three_hours() -> None:
    key = arrived()

    row = _row(key.player_id, key.connection_id)

    assert row["version"] == {"S": "1.4.0"}
    assert row["platform"] == {"S": "web"}
    assert row["language"] == {"S": "nl"}
    assert row["expires_at"] == {"N": str((NOW + 3 * HOUR_MS) // 1000)}


def test_a_closed_connection_is_a_tombstone_for_an_hour() -> None:
    key = arrived()

    assert Connections().close(key, NOW + 5) is None

    row = _row(key.player_id, key.connection_id)
    assert row["closed_at"] == {"N": str(NOW + 5)}
    assert row["expires_at"] == {"N": str((NOW + 5 + HOUR_MS) // 1000)}


def test_an_end_that_is_told_before_the_beginning_stays_the_end() -> None:
    key = somebody()

    assert Connections().close(key, NOW) is None
    tombstone = _row(key.player_id, key.connection_id)
    arrived(key)

    assert _row(key.player_id, key.connection_id) == tombstone
    with pytest.raises(ConnectionLost):
        Tables(lambda: NOW).create(new_table(key))


def test_a_connection_closed_twice_names_its_table_twice() -> None:
    seated = Seated()

    closed = [Connections().close(seated.white, NOW + at) for at in (1, 2)]

    assert closed == [seated.table.table_id] * 2
    row = _row(seated.white.player_id, seated.white.connection_id)
    assert row["closed_at"] == {"N": str(NOW + 1)}


def test_an_arrival_told_twice_does_not_forget_the_table() -> None:
    seated = Seated()

    Connections().open(Arrival(seated.white, "1.4.0", "web", "nl", NOW))

    assert Connections().close(seated.white, NOW) == seated.table.table_id


def test_a_limit_counts_within_its_window_and_starts_anew_after_it() -> None:
    subject, limits = new_id(), Limits()
    start = NOW // MINUTE_MS * MINUTE_MS

    added = [limits.add(subject, MINUTE_MS, start + at) for at in (0, 1, MINUTE_MS - 1, MINUTE_MS)]

    assert added == [1, 2, 3, 1]
    assert limits.count(subject, MINUTE_MS, start) == 3
    assert limits.count(subject, MINUTE_MS, start + 2 * MINUTE_MS) == 0


def test_looking_at_a_limit_does_not_count() -> None:
    subject, limits = new_id(), Limits()

    assert [limits.count(subject, MINUTE_MS, NOW) for _ in range(3)] == [0, 0, 0]
    assert limits.add(subject, MINUTE_MS, NOW) == 1


def test_one_subject_has_a_counter_per_length_of_window() -> None:
    subject, limits = new_id(), Limits()

    limits.add(subject, MINUTE_MS, NOW)

    assert limits.count(subject, HOUR_MS, NOW) == 0
