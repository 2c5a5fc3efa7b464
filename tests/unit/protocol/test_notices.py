"""Every refusal has its words, in every language, and they need nothing that is not given."""

import ast
import importlib
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import shared
from shared.game.refusal import Refusal
from shared.protocol.notices import LANGUAGES, Plural, catalog, choose_language, notice

REASONS = ("malformed", "illegal", "inCheck", "promotionMissing", "promotionWrong")
NEEDED: dict[str, dict[str, str | int]] = {
    "appOutdated": {"minimum": "1.4.0"},
    "offerDeclined": {"moves": 3},
    "tooLong": {"limit": 16},
    "unknownField": {"field": "colour"},
}
"""What the words of a refusal are made of; whoever raises it has to give it."""
ROOT = Path(shared.__path__[0])


def refusals() -> dict[str, type[Refusal]]:
    for package in ("game", "protocol", "service"):
        for found in pkgutil.walk_packages([str(ROOT / package)], f"shared.{package}."):
            importlib.import_module(found.name)
    return {kind.code: kind for kind in subclasses(Refusal)}


def subclasses(of: type[Refusal]) -> Iterator[type[Refusal]]:
    for kind in of.__subclasses__():
        yield kind
        yield from subclasses(kind)


def asked() -> Iterator[tuple[str, str, dict[str, str | int]]]:
    for language in sorted(LANGUAGES):
        for code in sorted(refusals()):
            if code == "illegalMove":
                for reason in REASONS:
                    yield language, code, {"reason": reason}
            else:
                yield language, code, NEEDED.get(code, {})


@pytest.mark.parametrize(("language", "code", "parameters"), list(asked()))
def test_every_refusal_says_something_whole(
    language: str, code: str, parameters: dict[str, str | int]
) -> None:
    said = notice(language, code, parameters)
    assert said.strip() == said
    assert said.endswith(".")
    assert not set("{}") & set(said)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_catalog_holds_the_refusals_and_nothing_else(language: str) -> None:
    codes = set(refusals()) - {"illegalMove"}
    assert set(catalog(language)) == codes | {f"illegalMove.{reason}" for reason in REASONS}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_catalog_is_in_order_and_says_nothing_twice_over(language: str) -> None:
    text = (ROOT / f"protocol/catalogs/{language}.json").read_text()
    pairs = json.loads(text, object_pairs_hook=list)
    keys = [key for key, _ in pairs]
    assert keys == sorted(set(keys))


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_languages_use_the_same_parameters(language: str) -> None:
    assert placeholders(language) == placeholders("en")


def placeholders(language: str) -> dict[str, set[str]]:
    found = {}
    for key, text in catalog(language).items():
        form = text.other if isinstance(text, Plural) else text
        found[key] = {name for _, name, _, _ in Formatter().parse(form) if name}
    return found


def test_whoever_refuses_gives_what_the_words_are_made_of() -> None:
    named = {kind.__name__: kind.code for kind in refusals().values()}
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = refused(node)
            code = named.get(name or "")
            if code in NEEDED:
                assert set(NEEDED[code]) <= given(node), (path, code)
            if code == "illegalMove":
                assert given(node) == {"reason"}, path


def refused(node: ast.AST) -> str | None:
    """The name of what is raised or made here, if it is anything."""
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Raise(exc=ast.Name(id=name)):
            return name
        case _:
            return None


def given(node: ast.AST) -> set[str]:
    return {str(word.arg) for word in node.keywords} if isinstance(node, ast.Call) else set()


def test_codes_are_stable_words_and_no_two_refusals_share_one() -> None:
    kinds = list(subclasses(Refusal))
    assert len({kind.code for kind in kinds}) == len(kinds)
    assert all(kind.code.isascii() and kind.code.isalnum() for kind in kinds)
    assert all(kind.__doc__ for kind in kinds)


def test_one_and_many_differ() -> None:
    assert notice("en", "offerDeclined", {"moves": 1}).endswith("after one more move.")
    assert notice("en", "offerDeclined", {"moves": 7}).endswith("after 7 more moves.")
    assert notice("nl", "offerDeclined", {"moves": 1}).startswith("Je vorige remiseaanbod")
    assert "7 käiku" in notice("et", "offerDeclined", {"moves": 7})


def test_braces_in_a_parameter_stay_what_they_are() -> None:
    assert "{moves.__class__}" in notice("en", "unknownField", {"field": "{moves.__class__}"})


@pytest.mark.parametrize(
    ("tag", "language"),
    [("nl", "nl"), ("nl-BE", "nl"), ("NL_be", "nl"), ("et", "et"), ("en-GB", "en"), ("de", "en"),
     ("", "en"), ("nld", "en"), ("../nl", "en"), ("-", "en")],
)  # fmt: skip
def test_the_language_follows_the_connection_and_is_english_otherwise(
    tag: str, language: str
) -> None:
    assert choose_language(tag) == language
    assert notice(tag, "gameOver", {}) == notice(language, "gameOver", {})
