"""What a function prints and logs comes out whole, with its name, line by line."""

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from infra.local.lambdas.output import LogHandler, Output
from infra.local.logs import Terminal

AT = "09:00:00.123"


@dataclass
class Screen:
    """An output, and what came out of it."""

    output: Output
    reader: int

    def shown(self) -> str:
        return os.read(self.reader, 65_536).decode()


@pytest.fixture
def screen() -> Iterator[Screen]:
    reader, writer = os.pipe()
    terminal = Terminal(lambda: 1_800_000_000_123, 3600, is_coloured=False)
    yield Screen(Output("Say", writer, terminal, "/start"), reader)
    os.close(reader)
    os.close(writer)


def test_a_line_is_told_when_it_is_whole(screen: Screen) -> None:
    screen.output.request_id = "3f2a9c1e-aa"
    print("one", end="", file=screen.output)
    print(" and a half", file=screen.output)
    assert screen.shown() == f"{AT} Say[3f2a9c1e] one and a half\n"


def test_an_unfinished_line_is_told_at_the_end(screen: Screen) -> None:
    print("...", end="", file=screen.output)
    screen.output.finish()
    assert screen.shown() == f"{AT} Say ...\n"


def test_what_is_printed_in_one_go_is_told_as_one(screen: Screen) -> None:
    print(json.dumps({"a": [1]}, indent=1), file=screen.output)
    assert screen.shown() == f'{AT} Say {{\n     "a": [\n      1\n     ]\n    }}\n'


def test_records_of_loggers_are_told_one_by_one_and_metrics_not(screen: Screen) -> None:
    record = json.dumps({"level": "INFO", "message": "moved"})
    metrics = json.dumps({"_aws": {}})
    screen.output.write(f"first\n{record}\n{metrics}\n\nlast\n")
    assert screen.shown() == f"{AT} Say first\n{AT} Say INFO moved\n{AT} Say last\n"


def test_nothing_that_can_be_printed_breaks_it(screen: Screen) -> None:
    print("\udce9", file=screen.output)
    assert screen.shown() == f"{AT} Say \\udce9\n"
    screen.output.buffer.write(b"bytes\n")
    assert screen.shown() == "bytes\n"
    assert os.isatty(screen.output.fileno()) is False


def test_a_log_record_has_its_level_and_its_exception(screen: Screen) -> None:
    logger = logging.Logger("app")  # noqa: LOG001 - nobody else's
    logger.addHandler(LogHandler(lambda: screen.output))
    logger.info("%s moved", "ann")
    try:
        int("no")
    except ValueError:
        logger.exception("it failed")
    first, second, *rest = screen.shown().splitlines()
    assert first == f"{AT} Say INFO ann moved"
    assert second == f"{AT} Say ERROR it failed"
    assert rest[0] == "    ValueError: invalid literal for int() with base 10: 'no'"
    assert rest[1].startswith(f'      File "{Path(__file__)}", line ')
    assert rest[2] == '        int("no")'
