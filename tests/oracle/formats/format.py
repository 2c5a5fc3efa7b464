"""What a format of case files must know: how to recognise a case, and how to judge it."""

from dataclasses import dataclass
from typing import Any, Protocol

Case = dict[str, Any]
"""One entry of a case file, as JSON has it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one case: where the product differs, and what was taken into account."""

    name: str
    differences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Format(Protocol):
    """One kind of case file."""

    name: str

    def fits(self, case: Case) -> bool:
        """Whether this is a case of the format, by its fields and their kinds alone."""
        ...

    def judge(self, case: Case, *, is_full: bool) -> Verdict:
        """Where the product differs from the case."""
        ...


def compare(what: str, expected: object, found: object) -> list[str]:
    """Nothing where they agree, else one line that names both."""
    return [] if expected == found else [f"{what}: expected {expected!r}, the product {found!r}"]
