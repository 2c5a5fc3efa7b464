"""The rules of the layout that import-linter cannot see, read from the source itself."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb"}


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def readings_of_the_environment(source: str) -> Iterator[int]:
    """Yield the line of every use of os.environ or os.getenv, however imported."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name in ENVIRONMENT:
                yield node.lineno
            case ast.ImportFrom(module="os", names=names):
                yield from (node.lineno for alias in names if alias.name in ENVIRONMENT)
            case ast.Import(names=names):
                # Under another name it could be read unseen.
                yield from (node.lineno for alias in names if alias.name == "os" and alias.asname)


def readings_of_a_clock(source: str) -> Iterator[int]:
    """Yield the line of every import of a clock or of chance."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                imported = {alias.name.split(".")[0] for alias in names}
            case ast.ImportFrom(module=str(module)):
                imported = {module.split(".")[0]}
            case _:
                continue
        if imported & {"time", "datetime", "random", "secrets", "uuid"}:
            yield node.lineno


@pytest.mark.parametrize("reading", ["os.environ['A']", "os.getenv('A')", "from os import environ"])
def test_a_reading_of_the_environment_is_seen(reading: str) -> None:
    assert list(readings_of_the_environment(f"import os\n{reading}")) == [2]


def test_only_settings_read_the_environment() -> None:
    readers = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in (*modules("shared"), *modules("functions"))
        if path != ROOT / "shared/runtime/settings.py"
        for line in readings_of_the_environment(path.read_text())
    }
    assert readers == set()


def test_the_game_is_handed_its_time_and_its_chance() -> None:
    readers = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in modules("shared/game")
        for line in readings_of_a_clock(path.read_text())
    }
    assert readers == set()
