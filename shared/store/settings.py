"""What an operator changes without a deploy, and the keys that tokens are signed with.

Read at most once a minute; where a setting cannot be read, or makes no sense, the last good one
holds, and the log says so.
"""

import logging
import secrets
from collections.abc import Callable
from typing import Annotated, TypeVar

import msgspec
from pynamodb.exceptions import PutError, PynamoDBException

from shared.service.ports import LiveSettings, Minimum
from shared.store.models import SettingRow, table_of
from shared.store.transaction import is_unmet

FRESH_MS = 60_000
MINIMUM_VERSIONS = "minimum_versions"
SIGNING_KEYS = "signing_keys"
_SECRET_BYTES = 32
_Keys = Annotated[list[str], msgspec.Meta(min_length=1)]
_log = logging.getLogger(__name__)
_Read = TypeVar("_Read")


class Settings:
    """The live settings, as the port wants them."""

    def __init__(self, clock: Callable[[], int]) -> None:
        """Judge freshness by `clock` (epoch ms)."""
        self._clock = clock
        self._last_good = LiveSettings()
        self._fresh_until = 0

    def current(self) -> LiveSettings:
        """The settings to go by."""
        now = self._clock()
        if now >= self._fresh_until:
            self._last_good = _read_or(_read_live, self._last_good)
            self._fresh_until = now + FRESH_MS
        return self._last_good


class SigningKeys:
    """The secrets that tokens are signed with, made by whoever needs them first."""

    def __init__(self, clock: Callable[[], int]) -> None:
        """Judge freshness by `clock` (epoch ms)."""
        self._clock = clock
        self._last_good: tuple[bytes, ...] = ()
        self._fresh_until = 0

    def __call__(self) -> tuple[bytes, ...]:
        """The secrets, at least one, the newest last: it signs, and any of them is believed.

        Raises what the store raises as long as none was ever read.
        """
        now = self._clock()
        if now >= self._fresh_until:
            known = self._last_good
            self._last_good = _read_or(_read_keys, known) if known else _read_keys()
            self._fresh_until = now + FRESH_MS
        return self._last_good


def _read_or(read: Callable[[], _Read], last_good: _Read) -> _Read:
    try:
        return read()
    except (
        PynamoDBException,
        msgspec.MsgspecError,
        KeyError,
    ):  # no answer, or not what it should be
        _log.warning("settings_unreadable", exc_info=True)
        return last_good


def _read_live() -> LiveSettings:
    value = _value(MINIMUM_VERSIONS)
    if value is None:
        return LiveSettings()
    return LiveSettings(minimums=msgspec.json.decode(value, type=dict[str, Minimum]))


def _read_keys() -> tuple[bytes, ...]:
    value = _value(SIGNING_KEYS) or _make_keys()
    return tuple(key.encode() for key in msgspec.json.decode(value, type=_Keys))


def _make_keys() -> str:
    """The first key, or the one that somebody else has made at the same time."""
    made = msgspec.json.encode([secrets.token_urlsafe(_SECRET_BYTES)]).decode()
    try:
        SettingRow(SIGNING_KEYS, value=made).save(SettingRow.name.does_not_exist())
    except PutError as error:
        if not is_unmet(error):
            raise
    return _value(SIGNING_KEYS) or made


def _value(name: str) -> str | None:
    item = table_of(SettingRow).get_item(name, consistent_read=True).get("Item")
    return None if item is None else str(item["value"]["S"])
