"""Live settings and signing keys: fresh within a minute, the last good ones when in doubt."""

from collections.abc import Iterator

import pytest
from pynamodb.exceptions import PynamoDBException

from shared.service.ports import LiveSettings, Minimum
from shared.store.models import SettingRow, TableNames, bind
from shared.store.settings import MINIMUM_VERSIONS, SIGNING_KEYS, Settings, SigningKeys
from tests.integration.store.calls import counted
from tests.integration.store.scenes import NOW

MINUTE_MS = 60_000


class Now:
    """A clock that stands where it was put."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> int:
        return self.at


@pytest.fixture(autouse=True)
def _no_settings(table_names: TableNames) -> Iterator[None]:
    bind(table_names)
    for row in SettingRow.scan(consistent_read=True):
        row.delete()
    yield
    bind(table_names)


def _set(name: str, value: str) -> None:
    SettingRow(name, value=value).save()


def _minimum(version: str) -> str:
    return f'{{"ios": {{"version": "{version}", "store": "https://apps.example/tabiya"}}}}'


def _lose_the_store(names: TableNames) -> None:
    """Every call is answered: no such DynamoDB table."""
    gone = {name: "gone" + str(number) for number, name in enumerate(names.__slots__)}
    bind(TableNames(**gone))


def test_nothing_is_asked_of_any_version_until_it_is_set() -> None:
    assert Settings(Now()).current() == LiveSettings()


def test_minimum_versions_are_read_per_platform() -> None:
    _set(MINIMUM_VERSIONS, _minimum("1.4.0"))

    minimums = Settings(Now()).current().minimums

    assert minimums == {"ios": Minimum("1.4.0", "https://apps.example/tabiya")}


def test_settings_are_read_once_a_minute() -> None:
    now = Now()
    settings = Settings(now)
    with counted() as calls:
        settings.current()
        _ = settings.current()
        now.at += MINUTE_MS - 1
        settings.current()
        assert calls.operations == ["GetItem"]
        now.at += 1
        settings.current()

    assert calls.operations == ["GetItem", "GetItem"]


def test_a_changed_setting_holds_within_a_minute() -> None:
    now = Now()
    settings = Settings(now)
    settings.current()
    _set(MINIMUM_VERSIONS, _minimum("2.0"))

    now.at += MINUTE_MS

    assert settings.current().minimums["ios"].version == "2.0"


@pytest.mark.parametrize("nonsense", ["", "{", '{"ios": 3}', '["ios"]'])
def test_a_setting_that_makes_no_sense_leaves_the_last_good_one(nonsense: str) -> None:
    now = Now()
    settings = Settings(now)
    _set(MINIMUM_VERSIONS, _minimum("1.4.0"))
    good = settings.current()
    _set(MINIMUM_VERSIONS, nonsense)

    now.at += MINUTE_MS

    assert settings.current() == good


def test_settings_hold_while_the_store_cannot_be_read(table_names: TableNames) -> None:
    now = Now()
    settings = Settings(now)
    _set(MINIMUM_VERSIONS, _minimum("1.4.0"))
    good = settings.current()
    _lose_the_store(table_names)

    now.at += MINUTE_MS

    assert settings.current() == good


def test_the_first_signing_key_is_made_on_first_use_and_kept() -> None:
    first, second = SigningKeys(Now())(), SigningKeys(Now())()

    assert first == second
    assert len(first) == 1
    assert len(first[0]) >= 32


def test_a_new_signing_key_is_used_within_a_minute_and_the_old_one_stays() -> None:
    now = Now()
    keys = SigningKeys(now)
    (old,) = keys()
    _set(SIGNING_KEYS, f'["{old.decode()}", "newer"]')

    now.at += MINUTE_MS

    assert keys() == (old, b"newer")


def test_signing_keys_hold_while_the_store_cannot_be_read(table_names: TableNames) -> None:
    now = Now()
    keys = SigningKeys(now)
    good = keys()
    _lose_the_store(table_names)

    now.at += MINUTE_MS

    assert keys() == good


def test_no_key_is_made_up_where_none_could_be_read(table_names: TableNames) -> None:
    _lose_the_store(table_names)

    with pytest.raises(PynamoDBException):
        SigningKeys(Now())()


def test_an_empty_list_of_keys_leaves_the_last_good_ones() -> None:
    now = Now()
    keys = SigningKeys(now)
    good = keys()
    _set(SIGNING_KEYS, "[]")

    now.at += MINUTE_MS

    assert keys() == good
