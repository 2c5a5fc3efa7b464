"""The oracle says yes to the case files, and no as soon as a value or a rule is wrong."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shared.game import clock, decide, due, settle, verdicts
from shared.game.actions import claim_flag, resign
from shared.game.actions import move as move_action
from shared.game.clock import Clock, TimeControl
from shared.game.rulesets.standard import Standard
from shared.game.side import Side
from shared.game.table import Position
from tests.oracle.formats import perft
from tests.oracle.report import check

DATA = Path(__file__).parents[1] / "data"
PERFT = DATA / "standard" / "perft.json"
ENDINGS = DATA / "standard" / "endings.json"
GAMES = DATA / "games_with_clocks.json"
ROOT = Path(__file__).parents[2]

Cases = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def shallow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Perft to a few hundred positions a case: the command line counts further."""
    monkeypatch.setattr(perft, "NODE_BUDGET", 150)


def altered(tmp_path: Path, source: Path, alter: Callable[[Cases], None]) -> Path:
    """A copy of the file, under a name that says nothing, with something changed in it."""
    cases = json.loads(source.read_text())
    alter(cases)
    copy = tmp_path / "cases.json"
    copy.write_text(json.dumps(cases))
    return copy


@pytest.mark.parametrize("source", [PERFT, ENDINGS, GAMES], ids=lambda path: path.stem)
def test_the_product_agrees_with_every_case(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = altered(tmp_path, source, lambda cases: None)

    assert check(copy)

    lines = capsys.readouterr().out.splitlines()
    count = len(json.loads(source.read_text()))
    assert len(lines) == 1
    assert lines[0].startswith(f"cases.json: {count} cases, 0 differ")


def test_the_command_exits_0_only_when_every_file_agrees(tmp_path: Path) -> None:
    def wrong(cases: Cases) -> None:
        cases[0]["plies"][0]["san"] = "Qa3"

    def run(*files: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tests.oracle", *map(str, files)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    good = run(ENDINGS)
    bad = run(altered(tmp_path, ENDINGS, wrong), ENDINGS)

    assert good.returncode == 0, good.stdout + good.stderr
    assert bad.returncode == 1, bad.stdout + bad.stderr
    assert "9 cases, 1 differ" in bad.stdout
    assert "fifty: san after ply 1: expected 'Qa3', the product 'Qa2'" in bad.stdout
    assert "9 cases, 0 differ" in bad.stdout


def _another_count(cases: Cases) -> None:
    cases[0]["nodes"]["2"] += 1


def _another_fen(cases: Cases) -> None:
    cases[1]["plies"][2]["fen"] = cases[1]["plies"][1]["fen"]


def _threefold_missed(cases: Cases) -> None:
    cases[1]["plies"][-1]["result"] = None


def _threefold_early(cases: Cases) -> None:
    cases[1]["plies"][-2]["result"] = "threefold"


def _another_last_result(cases: Cases) -> None:
    cases[0]["result"] = None


@pytest.mark.parametrize(
    ("source", "alter"),
    [
        (PERFT, _another_count),
        (ENDINGS, _another_fen),
        (ENDINGS, _threefold_missed),
        (ENDINGS, _threefold_early),
        (ENDINGS, _another_last_result),
    ],
)
def test_one_wrong_value_is_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], source: Path, alter: Callable[[Cases], None]
) -> None:
    assert not check(altered(tmp_path, source, alter))
    assert ", 1 differ" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("result", "1/2-1/2"),
        ("termination", "Time forfeit"),
        ("termination", "Abandoned"),
        ("board_termination", "STALEMATE"),
        ("board_termination", "SEVENTYFIVE_MOVES"),
        ("final_fen", "8/8/8/3k1q2/6qK/8/8/8 b - - 10 74"),
        ("final_turn", "black"),
        ("can_mate", {"white": True, "black": True}),
    ],
)
def test_one_wrong_fact_about_a_game_is_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, value: object
) -> None:
    def alter(cases: Cases) -> None:
        del cases[3:]
        cases[0][name] = value

    assert not check(altered(tmp_path, GAMES, alter))
    assert "3 cases, 1 differ" in capsys.readouterr().out


def test_an_illegal_move_in_a_record_is_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def alter(cases: Cases) -> None:
        del cases[3:]
        cases[1]["uci"] = "e2e5 " + cases[1]["uci"].split(" ", 1)[1]

    assert not check(altered(tmp_path, GAMES, alter))
    assert "IllegalMove" in capsys.readouterr().out


def test_a_reading_that_no_thinking_explains_is_seen(tmp_path: Path) -> None:
    """With an increment of 2 s nobody has less than that after a move."""

    def alter(cases: Cases) -> None:
        cases[:] = [case for case in cases if case["increment_s"] == 2]
        cases[0]["clock_s_after"][20] = 0

    assert not check(altered(tmp_path, GAMES, alter))


def test_a_game_that_went_on_after_a_threefold_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def alter(cases: Cases) -> None:
        del cases[1:]
        case = cases[0]
        case["uci"] = "g1f3 g8f6 f3g1 f6g8 " * 2 + "e2e4"
        case["clock_s_after"] = [case["initial_s"]] * 9

    assert not check(altered(tmp_path, GAMES, alter))
    assert "threefold" in capsys.readouterr().out


def _always_can_mate(_ruleset: Standard, _position: Position, _side: Side) -> bool:
    return True


def _break_material(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record's own word on who can mate is not asked: the verdict alone must tell."""
    monkeypatch.setattr(verdicts, "_can_mate", lambda table, side: True)


def _break_ruleset_material(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Standard, "can_mate", _always_can_mate)


def _shift_flag(by_ms: int) -> Callable[[pytest.MonkeyPatch], None]:
    def shift(monkeypatch: pytest.MonkeyPatch) -> None:
        original = clock.flag_at

        def shifted(running: Clock, control: TimeControl, ply: int) -> int | None:
            flag = original(running, control, ply)
            return None if flag is None else flag + by_ms

        for module in (decide, due, claim_flag):
            monkeypatch.setattr(module, "flag_at", shifted)

    return shift


def _equality_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    original = clock.flag_at

    def shifted(running: Clock, control: TimeControl, ply: int) -> int | None:
        flag = original(running, control, ply)
        return None if flag is None else flag + 1

    monkeypatch.setattr(decide, "flag_at", shifted)


def _never_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "flag_at", lambda clock, control, ply: None)


def _flag_never_claimable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim_flag, "flag_at", lambda clock, control, ply: None)


def _flagged_side_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    original = verdicts.lost
    for module in (settle, claim_flag):
        monkeypatch.setattr(module, "lost", lambda table, loser, *rest: original(
            table, loser.other, *rest))  # fmt: skip


def _impatient_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "VERDICTS", frozenset())


def _clock_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "stop", lambda clock, side, at: clock)


def _no_increment(monkeypatch: pytest.MonkeyPatch) -> None:
    original = clock._charge
    monkeypatch.setattr(
        clock, "_charge", lambda running, side, think_ms, _: original(running, side, think_ms, 0)
    )


def _server_time_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    original = clock.press
    monkeypatch.setattr(
        move_action,
        "press",
        lambda running, control, side, *, received_at, now: original(
            running, control, side, received_at=now, now=now
        ),
    )


def _resigning_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    original = verdicts.lost
    monkeypatch.setattr(
        resign, "lost", lambda table, loser, *rest: original(table, loser.other, *rest)
    )


@pytest.mark.parametrize(
    ("break_it", "ended", "result"),
    [
        (_break_material, "Time forfeit", "1/2-1/2"),
        (_break_ruleset_material, "Time forfeit", "1/2-1/2"),
        (_shift_flag(1), "Time forfeit", None),
        (_shift_flag(-1), "Time forfeit", None),
        (_equality_wins, "Time forfeit", None),
        (_never_flags, "Time forfeit", None),
        (_flag_never_claimable, "Time forfeit", None),
        (_flagged_side_wins, "Time forfeit", "1-0"),
        (_impatient_timer, "Time forfeit", None),
        (_clock_not_stopped, "Time forfeit", None),
        (_server_time_charged, "Time forfeit", None),
        (_resigning_wins, "Normal", None),
    ],
)
def test_a_broken_rule_turns_it_red(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    break_it: Callable[[pytest.MonkeyPatch], None],
    ended: str,
    result: str | None,
) -> None:
    def keep(cases: Cases) -> None:
        cases[:] = [
            case
            for case in cases
            if case["termination"] == ended
            and case["board_termination"] is None
            and result in (None, case["result"])
        ][:3]

    games = altered(tmp_path, GAMES, keep)
    assert check(games)

    break_it(monkeypatch)

    assert not check(games)


def test_a_forgotten_increment_turns_it_red(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keep(cases: Cases) -> None:
        cases[:] = [case for case in cases if case["increment_s"]]

    games = altered(tmp_path, GAMES, keep)
    assert check(games)

    _no_increment(monkeypatch)

    assert not check(games)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not JSON",
        "[]",
        "{}",
        "[1, 2]",
        '[{"name": "start", "fen": "8/8/8/8/8/8/8/8 w - - 0 1"}]',
        '[{"name": "start", "fen": "8/8/8/8/8/8/8/8 w - - 0 1", "nodes": {}}]',
        '[{"variant": "ten10", "name": "start", "fen": "x w", "nodes": {"1": 20}}]',
        '[{"seed": 10, "identities": {}, "hidden": "", "fen": "x w", "nodes": {"1": 20}}]',
    ],
)
def test_a_file_of_an_unknown_format_has_not_passed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    unknown = tmp_path / "perft.json"
    unknown.write_text(text)

    assert not check(unknown)
    assert capsys.readouterr().out.startswith("perft.json: ")


def test_a_file_with_one_stray_case_has_not_passed(tmp_path: Path) -> None:
    def alter(cases: Cases) -> None:
        del cases[2:]
        del cases[1]["clock_s_after"]

    assert not check(altered(tmp_path, GAMES, alter))


def test_a_missing_file_has_not_passed(tmp_path: Path) -> None:
    assert not check(tmp_path / "nowhere.json")
