"""What the classes say about a field: the text that stands below it."""

import ast
import inspect
from collections.abc import Iterator
from types import ModuleType


def notes(modules: list[ModuleType]) -> dict[tuple[str, str], str]:
    """The texts by the names of the class and of the field on the wire."""
    return {
        (kind.name, _camel(field)): text
        for module in modules
        for kind in ast.parse(inspect.getsource(module)).body
        if isinstance(kind, ast.ClassDef)
        for field, text in _of_fields(kind)
    }


def _of_fields(kind: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in zip(kind.body, kind.body[1:], strict=False):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, inspect.cleandoc(text)
            case _:
                continue


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)
