"""Every fact has a test that names it."""

from pathlib import Path

import pytest

from tests.conformance.document import PATH, render
from tests.conformance.facts import Area, Fact, facts

TESTS = Path(__file__).parents[1]


def test_every_fact_is_named_by_a_test() -> None:
    sources = "\n".join(path.read_text() for path in TESTS.rglob("test_*.py"))
    assert [fact.id for fact in facts() if f'"{fact.id}"' not in sources] == []


def test_no_fact_on_the_page_fails_or_has_no_test() -> None:
    lines = PATH.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.endswith(("| FAILS |", "| NO TEST |"))] == []
    assert len([line for line in lines if line.endswith("| passes |")]) == len(list(facts()))


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ({"A.b": {"t::one": True}}, "`t::one` | passes |"),
        ({"A.b": {"t::one": True, "t::two": False}}, "`t::one`<br>`t::two` | FAILS |"),
        ({}, "| NO TEST |"),
    ],
)
def test_the_page_tells_what_the_tests_said(results: dict[str, dict[str, bool]], told: str) -> None:
    page = render([Area("A", (Fact("A.b", "it is so", "DOC"),))], results)
    assert f"| **A.b** it is so | DOC | {told.removeprefix('| ')}" in page.replace("|  |", "|")


def test_what_aws_leaves_open_is_told_apart_with_what_is_done_here() -> None:
    page = render([Area("A", (Fact("A.c", "in which order", "3P", here="any"),))], {})
    _, _, questions = page.partition("## Open questions")
    assert "| **A.c** in which order | 3P | any |" in questions
