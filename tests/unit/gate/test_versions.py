import pytest

from shared.gate.versions import VersionGate, is_outdated
from shared.service.ports import LiveSettings, Minimum

IOS = Minimum("1.10.0", "https://store.example/ios")


@pytest.mark.parametrize("version", ["1.10.0", "1.10", "1.10.1", "1.11", "2", "10.0.0", "1.10.0.1"])
def test_new_enough_may_enter(version: str) -> None:
    assert is_outdated(version, "ios", {"ios": IOS}) is None


@pytest.mark.parametrize("version", ["1.9.0", "1.9.99", "1", "0", "0.99.99", "1.2"])
def test_numbers_are_compared_not_letters(version: str) -> None:
    assert is_outdated(version, "ios", {"ios": IOS}) is IOS


UNREADABLE = [
    "",
    "new",
    "1.",
    ".1",
    "1..2",
    "-1",
    "v2",
    "1.2-beta",
    "1" * 10,
    "1.2.3.4.5",
    "²",
    "1\n",
]


@pytest.mark.parametrize("version", UNREADABLE)
def test_an_unreadable_version_counts_as_0_of_other(version: str) -> None:
    other = Minimum("0.1")
    assert is_outdated(version, "ios", {"ios": IOS}) is None
    assert is_outdated(version, "ios", {"ios": IOS, "other": other}) is other


def test_an_unknown_platform_counts_as_other() -> None:
    other = Minimum("2.0")
    assert is_outdated("1.9", "toaster", {"other": other}) is other
    assert is_outdated("2.0", "toaster", {"other": other}) is None
    assert is_outdated("1.9", "", {}) is None


def test_a_platform_without_a_minimum_admits_everything() -> None:
    assert is_outdated("0.0.1", "android", {"ios": IOS, "other": Minimum("9")}) is None


def test_a_minimum_that_an_operator_wrote_badly_keeps_nobody_out() -> None:
    assert is_outdated("0", "ios", {"ios": Minimum("newest")}) is None


def test_the_gate_goes_by_the_settings_of_the_moment() -> None:
    class Changing:
        settings = LiveSettings()

        def current(self) -> LiveSettings:
            return self.settings

    source = Changing()
    gate = VersionGate(source)
    assert gate.newer_needed("1.0", "ios") is None
    source.settings = LiveSettings({"ios": IOS})
    assert gate.newer_needed("1.0", "ios") is IOS
