"""The local system could be anybody's: nothing in its code speaks of what is played on it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Of this product; what is also an everyday word (a move, a board) is looked for among names only.
OURS = re.compile(
    r"tabiya|chess|checkmate|stalemate|castling|\b(pawns?|bishops?|rooks?|ply|plies|uci|san|pgn|fen)\b",
    re.IGNORECASE,
)
NAMES = frozenset(
    {"move", "moves", "boards", "game", "games", "player", "players", "seat", "rematch"}
)


def words_of_the_product(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and word of whatever speaks of the product, comments and texts included."""
    for number, line in enumerate(source.splitlines(), 1):
        for found in OURS.finditer(line):
            yield number, found.group()
    for node in ast.walk(ast.parse(source)):
        match node:
            case (
                ast.Name(id=name)
                | ast.Attribute(attr=name)
                | ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.Constant(value=str(name))
            ) if name.lower().strip("_") in NAMES:
                yield getattr(node, "lineno", 0), name


@pytest.mark.parametrize(
    "source",
    [
        "import chess",
        "# as in Tabiya",
        "def move(): ...",
        "x.game = 1",
        "route = 'move'",
        "PLY = 1",
    ],
)
def test_a_word_of_the_product_is_seen(source: str) -> None:
    assert list(words_of_the_product(source))


@pytest.mark.parametrize("source", ["# move the hands", "moved = 1", "switchboard = reply('x')"])
def test_everyday_words_are_not(source: str) -> None:
    assert not list(words_of_the_product(source))


def test_the_local_system_knows_nothing_of_the_product() -> None:
    spoken = [
        f"{path.relative_to(ROOT)}:{line} {word}"
        for path in sorted((ROOT / "infra/local").rglob("*.py"))
        for line, word in words_of_the_product(path.read_text())
    ]
    assert spoken == []


def test_neither_does_the_example() -> None:
    spoken = [
        f"{path.relative_to(ROOT)} {found.group()}"
        for path in sorted((ROOT / "examples").rglob("*"))
        if path.suffix in {".py", ".yaml", ".html", ".md"}
        for found in OURS.finditer(path.read_text())
    ]
    assert spoken == []
