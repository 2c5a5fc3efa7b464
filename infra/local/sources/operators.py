"""The operators of filter patterns: each makes a test of a plain value.

Knows the operators that Lambda's event filtering documents (null, equals, prefix, suffix,
equals-ignore-case, anything-but, numeric, exists). Where the values lie it does not know.
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from infra.local.json_values import Json
from infra.local.sources.written import Leaf, Number, Pairs

Test = Callable[[Leaf], bool]

NUMERIC_BOUND: Final = Decimal("5.0e9")
COMPARISONS: Final[Mapping[str, Callable[[Decimal, Decimal], bool]]] = {
    "=": lambda value, bound: value == bound,
    "<": lambda value, bound: value < bound,
    "<=": lambda value, bound: value <= bound,
    ">": lambda value, bound: value > bound,
    ">=": lambda value, bound: value >= bound,
}
RANGE_LENGTH: Final = 4


def equals(wanted: Leaf) -> Test:
    """Return whether a value is the wanted one: numbers are not Python's, so none equals True."""
    return lambda leaf: leaf == wanted


def _on_text(compare: Callable[[str], bool]) -> Test:
    return lambda leaf: isinstance(leaf, str) and compare(leaf)


def _ignoring_case(operand: Json) -> str | None:
    """Return the text of `{"equals-ignore-case": text}`."""
    if isinstance(operand, Pairs) and len(operand) == 1 and operand[0][0] == "equals-ignore-case":
        return operand[0][1] if isinstance(operand[0][1], str) else None
    return None


def _prefix(operand: Json) -> Test | None:
    folded = _ignoring_case(operand)
    if folded is not None:
        return _on_text(lambda text: text.casefold().startswith(folded.casefold()))
    return _on_text(lambda text: text.startswith(operand)) if isinstance(operand, str) else None


def _suffix(operand: Json) -> Test | None:
    folded = _ignoring_case(operand)
    if folded is not None:
        return _on_text(lambda text: text.casefold().endswith(folded.casefold()))
    return _on_text(lambda text: text.endswith(operand)) if isinstance(operand, str) else None


def _equals_ignoring_case(operand: Json) -> Test | None:
    if not isinstance(operand, str):
        return None
    return _on_text(lambda text: text.casefold() == operand.casefold())


def _anything_but(operand: Json) -> Test | None:
    refused: Test | None = None
    if isinstance(operand, Pairs):
        if len(operand) == 1 and operand[0][0] == "prefix" and isinstance(operand[0][1], str):
            refused = _prefix(operand[0][1])
    elif _are_alike(listed := operand if isinstance(operand, list) else [operand]):
        unwanted = [equals(one) for one in listed]
        return lambda leaf: not any(test(leaf) for test in unwanted)
    return None if refused is None else _not(refused)


def _are_alike(listed: list[Json]) -> bool:
    kinds = {type(one) for one in listed}
    return kinds in ({str}, {Number})


def _not(test: Test) -> Test:
    return lambda leaf: not test(leaf)


def _numeric(operand: Json) -> Test | None:
    bounds = list(_bounds(operand))
    if not bounds or None in bounds or not _is_range(operand):
        return None
    tests = [one for one in bounds if one is not None]
    return lambda leaf: isinstance(leaf, Number) and all(test(leaf.value) for test in tests)


def _is_range(operand: list[Json]) -> bool:
    """Say whether it is one comparison, or a lower and then an upper bound."""
    if len(operand) != RANGE_LENGTH:
        return len(operand) < RANGE_LENGTH
    return operand[0] in {">", ">="} and operand[2] in {"<", "<="}


def _bounds(operand: Json) -> Iterator[Callable[[Decimal], bool] | None]:
    if not isinstance(operand, list) or len(operand) % 2:
        return
    for sign, bound in zip(operand[::2], operand[1::2], strict=True):
        known = sign in COMPARISONS and isinstance(bound, Number)
        fits = known and abs(bound.value) <= NUMERIC_BOUND
        yield _compared(COMPARISONS[sign], bound.value) if fits else None


def _compared(
    comparison: Callable[[Decimal, Decimal], bool], bound: Decimal
) -> Callable[[Decimal], bool]:
    return lambda value: comparison(value, bound)


def _exists(operand: Json) -> Test | None:
    return (lambda _: True) if operand is True else None


# Each returns None for an operand that it does not take.
OPERATORS: Final[Mapping[str, Callable[[Any], Test | None]]] = {
    "anything-but": _anything_but,
    "equals-ignore-case": _equals_ignoring_case,
    "exists": _exists,
    "numeric": _numeric,
    "prefix": _prefix,
    "suffix": _suffix,
}
