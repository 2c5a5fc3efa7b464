"""How switches are named, checked and thrown; what is wrong is told in one line."""

from collections import Counter

import pytest

from infra.local.faults import Faults
from infra.local.options import read_options
from infra.local.switches import (
    ARGUMENTS,
    PRESETS,
    FaultError,
    Switchboard,
    Wish,
    read_arguments,
    read_json,
)


def board(wish: Wish | None = None, *, has_workers: bool = True) -> Switchboard:
    return Switchboard.at_start(wish or Wish(), Counter(), has_workers=has_workers)


def test_arguments_are_spelt_with_hyphens_and_json_in_camel_case() -> None:
    wish = read_arguments(["disconnect-late=0.25", "disconnect-late-ms=700", "freeze=off"], 5)
    started = board(wish)
    assert started.chance.faults == Faults(
        disconnect_late=0.25, disconnect_late_ms=700, freeze=False
    )
    assert started.state()["disconnectLateMs"] == 700
    assert started.state()["seed"] == 5
    assert set(started.state()) == {one.encode_name for one in ARGUMENTS.values()} | {"seed"}


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("queue-late=2", "queue-late is a share from 0 to 1"),
        ("queue-late=-0.1", "queue-late is a share from 0 to 1"),
        ("queue-late=often", "queue-late is a share from 0 to 1"),
        ("queue-late-ms=1.5", "queue-late-ms is a whole number, 0 or more"),
        ("cold-start-ms=-1", "cold-start-ms is a whole number, 0 or more"),
        ("freeze=perhaps", "freeze is true or false"),
        ("messages=backwards", "messages is one of concurrent, shuffled, serial"),
        ("posts", "there are storm, outage, messages=..., posts=..."),
        ("weather=bad", "there are storm, outage, messages=..., posts=..."),
        ("hail", "there are storm, outage, messages=..., posts=..."),
    ],
)
def test_a_wrong_argument_is_told_in_one_line(
    argument: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        read_options(["--fault", argument])
    assert ended.value.code == 2
    line = capsys.readouterr().err
    assert line.startswith(f"--fault {argument}")
    assert told in line
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"queueLate": 1.5}, "queueLate is a share from 0 to 1"),
        ({"queueLate": "0.5"}, "queueLate is a share from 0 to 1"),
        ({"queueLate": None}, "queueLate is a share from 0 to 1"),
        ({"coldStartMs": -1}, "coldStartMs is a whole number, 0 or more"),
        ({"freeze": 1}, "freeze is true or false"),
        ({"messages": "x"}, "messages is one of concurrent, shuffled, serial"),
        ({"queue-late": 0.5}, "no switch is called queue-late; there are messages,"),
        ({"seed": 0.5}, "seed is a whole number"),
        ({"seed": True}, "seed is a whole number"),
        ({"preset": "hail"}, "preset is one of storm, outage"),
    ],
)
def test_a_wrong_body_is_told_in_one_line(body: dict[str, object], told: str) -> None:
    with pytest.raises(FaultError) as refused:
        read_json(body)
    assert str(refused.value).startswith(told)
    assert "\n" not in str(refused.value)


def test_what_is_not_named_is_as_at_the_start() -> None:
    running = board(read_arguments(["tick-late=0.5"], 9))
    running.throw(read_json({"queueLate": 0.25, "seed": 3}))
    assert running.chance.faults == Faults(tick_late=0.5, queue_late=0.25)
    assert running.chance.seed == 3
    running.throw(read_json({}))
    assert running.chance.faults == Faults(tick_late=0.5)
    assert running.chance.seed == 9


def test_a_refused_body_changes_nothing() -> None:
    running = board()
    with pytest.raises(FaultError):
        running.throw(read_json({"queueLate": 0.25, "seed": "x"}))
    assert running.chance.faults == Faults()


@pytest.mark.parametrize("order", [["storm", "queue-late=1"], ["queue-late=1", "storm"]])
def test_a_preset_throws_several_and_a_named_one_goes_before_it(order: list[str]) -> None:
    started = board(read_arguments(order, None))
    assert started.state() == board().state() | dict(PRESETS["storm"]) | {"queueLate": 1.0}


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_right(preset: str) -> None:
    running = board(read_arguments(["dynamodb-late=0"], None))
    running.throw(read_json({"preset": preset}))
    assert running.state() == board().state() | dict(PRESETS[preset])


def test_several_presets_are_thrown_together() -> None:
    started = board(read_arguments(["storm", "outage"], None))
    assert started.state() == board().state() | {**PRESETS["storm"], **PRESETS["outage"]}
    assert started.has_front


@pytest.mark.parametrize("named", ["dynamodb-throttled=0", "dynamodb-late-ms=9", "outage"])
def test_dynamodb_has_a_front_if_one_of_its_switches_is_named_at_the_start(named: str) -> None:
    assert board(read_arguments([named], None)).has_front
    assert not board(read_arguments(["storm", "sqs-failed=1"], None)).has_front


@pytest.mark.parametrize("body", [{"dynamodbFailed": 0.5}, {"preset": "outage"}])
def test_what_needs_the_front_is_refused_without_it(body: dict[str, object]) -> None:
    running = board()
    with pytest.raises(FaultError, match="DynamoDB has no front: name one of its switches at"):
        running.throw(read_json(body))
    assert running.chance.faults == Faults()
    running = board(read_arguments(["dynamodb-failed=0"], None))
    running.throw(read_json({"dynamodbFailed": 0.5}))
    assert running.chance.faults == Faults(dynamodb_failed=0.5)


def test_without_workers_there_is_nothing_to_freeze_to_recycle_or_to_start_cold() -> None:
    started = board(read_arguments(["storm"], None), has_workers=False)
    told = (started.chance.faults.freeze, started.chance.faults.cold_start_ms)
    assert told == (False, 0)
    assert started.chance.faults.recycle_after == 0
    for body in ({"freeze": True}, {"coldStartMs": 1}, {"recycleAfter": 1}, {"killed": 0.1}):
        with pytest.raises(FaultError, match="needs worker processes: leave out --in-process"):
            started.throw(read_json(body))
    started.throw(read_json({"freeze": False, "coldStartMs": 0}))


def test_workers_asked_to_freeze_in_process_are_told_of_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        read_options(["--in-process", "--fault", "freeze=on"])
    assert capsys.readouterr().err == "freeze needs worker processes: leave out --in-process\n"
