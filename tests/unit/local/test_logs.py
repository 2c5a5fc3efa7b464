"""How a line looks: when, who, for which request, how grave, what."""

import re

import pytest

from infra.local import logs
from infra.local.logs import Elapsed, Terminal

NOON = Terminal(lambda: 1_800_000_000_123, 3600, is_coloured=False)


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (("Say", "hello"), "09:00:00.123 Say hello"),
        (("Say", "oh", "ERROR"), "09:00:00.123 Say ERROR oh"),
        (("Say", "hi", "", "3f2a9c1e-aa"), "09:00:00.123 Say[3f2a9c1e] hi"),
        (("Say", "one\ntwo\n  three"), "09:00:00.123 Say one\n    two\n      three"),
    ],
)
def test_a_line_tells_time_name_request_level_and_text(told: tuple[str, ...], line: str) -> None:
    assert NOON.line(*told) == line


def test_colours_change_nothing_but_the_looks() -> None:
    coloured = Terminal(NOON.now_ms, 3600, is_coloured=True).line("Say", "oh", "ERROR", "3f2a9c1e")
    assert "\x1b[31mERROR\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == NOON.line("Say", "oh", "ERROR", "3f2a9c1e")


def test_where_nobody_looks_there_are_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not logs.is_coloured()
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert logs.is_coloured()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not logs.is_coloured()


@pytest.mark.parametrize("is_verbose", [True, False])
def test_only_who_wants_to_know_everything_is_told_how_long_it_took(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, is_verbose: bool
) -> None:
    terminal = Terminal(NOON.now_ms, 3600, is_coloured=False, is_verbose=is_verbose)
    monkeypatch.setattr(logs, "TERMINAL", terminal)
    with Elapsed("Say", lambda: "say of x", "3f2a9c1e"):
        pass
    told = capsys.readouterr().err
    assert bool(re.fullmatch(r"09:.*Say\[3f2a9c1e\] DEBUG say of x: \d+\.\d ms\n", told)) is (
        is_verbose
    )
    assert is_verbose or not told
