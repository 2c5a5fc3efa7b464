"""EventBridge patterns: reads one, and says whether a document matches it.

Knows how patterns are put together (every key, one of a list, `$or`, absence) and where the
values of a document lie. What the documents are it does not know.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from infra.local.json_values import Json
from infra.local.sources.operators import OPERATORS, Test, equals
from infra.local.sources.written import Leaf, Pairs, pairs, told

OR: Final = "$or"


class PatternError(Exception):
    """The pattern is not one; told in words for the operator."""


@dataclass(frozen=True, slots=True)
class Field:
    """What one key must hold: one of `tests` for one of its values, or nothing at all."""

    key: str
    tests: tuple[Test, ...]
    may_be_absent: bool


@dataclass(frozen=True, slots=True)
class Inner:
    """What the document under one key must be."""

    key: str
    pattern: "Pattern"


@dataclass(frozen=True, slots=True)
class Either:
    """One of several patterns."""

    patterns: tuple["Pattern", ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a document must be: every part of it."""

    parts: tuple[Field | Inner | Either, ...]

    def matches(self, document: Json) -> bool:
        """Say whether the document matches; of a list, whether one of its members does."""
        members = _members(document)
        return any(self._holds(member, members) for member in members or [{}])

    def _holds(self, document: Json, siblings: list[Json]) -> bool:
        return all(_part_holds(part, document, siblings) for part in self.parts)


def pattern(text: str) -> Pattern:
    """Return the pattern of a text; raises PatternError."""
    try:
        read = pairs(text)
    except ValueError:
        raise PatternError(f"{text} is not JSON") from None
    if not isinstance(read, Pairs):
        raise PatternError(f"{text} is not an object")
    return _pattern(read)


# -- reading ---------------------------------------------------------------------------


def _pattern(wanted: Pairs) -> Pattern:
    if not wanted:
        raise PatternError("an object of a pattern is empty")
    return Pattern(tuple(_part(key, value) for key, value in wanted))


def _part(key: str, value: Json) -> Field | Inner | Either:
    if isinstance(value, Pairs):
        return Inner(key, _pattern(value))
    if not isinstance(value, list) or not value:
        raise PatternError(f"{key} must be an object or a list that is not empty")
    if key == OR:
        return _either(value)
    absent = [_is_absence(one) for one in value]
    tests = tuple(
        _test(key, one) for one, is_absence in zip(value, absent, strict=True) if not is_absence
    )
    return Field(key, tests, any(absent))


def _either(value: list[Json]) -> Either:
    if len(value) < 2 or not all(isinstance(one, Pairs) for one in value):  # noqa: PLR2004  either, or
        raise PatternError(f"{OR} must be a list of at least two objects")
    return Either(tuple(_pattern(one) for one in value))


def _is_absence(alternative: Json) -> bool:
    return isinstance(alternative, Pairs) and alternative == (("exists", False),)


def _test(key: str, alternative: Json) -> Test:
    if isinstance(alternative, list):
        raise PatternError(f"{key} holds a list in a list")
    if not isinstance(alternative, Pairs):
        return equals(alternative)
    if len(alternative) != 1:
        raise PatternError(f"{key} needs exactly one operator in each object")
    ((operator, operand),) = alternative
    maker = OPERATORS.get(operator)
    if maker is None:
        raise PatternError(f"{operator} of {key} is no operator that Lambda documents")
    test = maker(operand)
    if test is None:
        raise PatternError(f"{operator} of {key} does not take {told(operand)}")
    return test


# -- matching --------------------------------------------------------------------------


def _part_holds(part: Field | Inner | Either, document: Json, siblings: list[Json]) -> bool:
    match part:
        case Either():
            return any(one._holds(document, siblings) for one in part.patterns)  # noqa: SLF001  its own
        case Inner():
            # What is absent, or no object, has no keys: only a wish for absence is met.
            return part.pattern.matches(_at(document, part.key))
        case Field():
            if part.may_be_absent and not any(_leaves(_at(one, part.key)) for one in siblings):
                return True
            leaves = _leaves(_at(document, part.key))
            return any(test(leaf) for leaf in leaves for test in part.tests)


_NOTHING: Final[list[Json]] = []


def _at(document: Json, key: str) -> Json:
    return document.get(key, _NOTHING) if isinstance(document, Mapping) else _NOTHING


def _members(document: Json) -> list[Json]:
    if isinstance(document, list):
        return [member for one in document for member in _members(one)]
    return [document]


def _leaves(value: Json) -> list[Leaf]:
    """Return the plain values at a key: those of a list, none of an object."""
    return [one for one in _members(value) if not isinstance(one, Mapping)]
