"""The version gate: which apps are too old to enter. A courtesy to the player, not security."""

import re
from collections.abc import Mapping

from shared.service.ports import Minimum, SettingsSource

PLATFORMS: frozenset[str] = frozenset({"web", "ios", "android", "other"})
OTHER = "other"
_VERSION = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,3}")


class VersionGate:
    """The gate, by the minimums that an operator has set."""

    def __init__(self, settings: SettingsSource) -> None:
        """Go by these settings, asked for anew each time."""
        self._settings = settings

    def newer_needed(self, version: str, platform: str) -> Minimum | None:
        """What an outdated app must become; None: it may enter."""
        return is_outdated(version, platform, self._settings.current().minimums)


def is_outdated(version: str, platform: str, minimums: Mapping[str, Minimum]) -> Minimum | None:
    """The minimum that this app fails to meet; None if it may enter.

    A version that is missing or unreadable counts as 0 of platform `other`, as does a platform
    that is not known. A platform without a minimum admits every version.
    """
    numbers = _numbers(version)
    is_known = numbers is not None and platform in PLATFORMS
    minimum = minimums.get(platform if is_known else OTHER, Minimum())
    return minimum if (numbers or ()) < (_numbers(minimum.version) or ()) else None


def _numbers(version: str) -> tuple[int, ...] | None:
    """The version as numbers, zeros at the end dropped (1.4.0 is 1.4); None if unreadable."""
    if not _VERSION.fullmatch(version):
        return None
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
