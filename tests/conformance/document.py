"""Writes `docs/conformance.md` from the facts and from what their tests said."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tests.conformance.facts import Area, Fact

PATH: Final = Path(__file__).parents[2] / "docs" / "conformance.md"
HEAD: Final = """\
# What the local cloud has in common with AWS

Generated from the results of the tests by `make conformance`: do not edit. Each line is a fact
about AWS, where it is known from, and the tests that hold `infra/local` to it. The facts are in
`tests/conformance/facts`. A fact without a test, or a result that differs from this page, makes
`make test` fail.

Sources: DOC is AWS documentation, OBS real AWS behaviour that somebody captured, CODE the source of
a named version, TEST our own trial, 3P a third party's word.
"""
OPEN_HEAD: Final = """\

## Open questions

What AWS does not say, or says in two ways, and what the local system does. Products must be safe
either way; what is a switch is in [local.md](local.md).
"""

Results = Mapping[str, Mapping[str, bool]]
"""For each fact's id, its tests by name, and whether each passed."""


def render(areas: Iterable[Area], results: Results) -> str:
    """Return the page."""
    lines = [HEAD]
    listed = list(areas)
    for area in listed:
        settled = [fact for fact in area.facts if fact.here is None]
        if settled:
            lines.append(f"\n## {area.title}\n")
            lines += ["| fact | source | tests | result |", "|---|---|---|---|"]
            lines += [_row([_said(one), one.source], one, results) for one in settled]
    lines += [OPEN_HEAD, "| question | source | here | tests | result |", "|---|---|---|---|---|"]
    for area in listed:
        lines += [
            _row([_said(one), one.source, one.here], one, results)
            for one in area.facts
            if one.here is not None
        ]
    return "\n".join(lines) + "\n"


def _said(fact: Fact) -> str:
    return f"**{fact.id}** {fact.says}"


def _row(cells: list[str], fact: Fact, results: Results) -> str:
    tests = results.get(fact.id, {})
    result = "passes" if tests and all(tests.values()) else "FAILS" if tests else "NO TEST"
    named = "<br>".join(f"`{name}`" for name in sorted(tests))
    texts = [cell.replace("|", "\\|").replace("\n", " ").strip() for cell in cells]
    return f"| {' | '.join([*texts, named, result])} |"
