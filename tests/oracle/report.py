"""One file through the format that knows it, and the line that says what came of it."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.oracle.formats import FORMATS
from tests.oracle.formats.format import Case, Format, Verdict

SHOWN = 5
"""How many differences of a file are printed."""


def check(path: Path, *, is_full: bool = False) -> bool:
    """Whether the product agrees with every case of the file; says so on one line."""
    try:
        cases = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"{path.name}: cannot be read: {error}")
        return False
    known = _recognise(cases)
    if known is None:
        print(f"{path.name}: unknown format, nothing was checked")
        return False
    return _say(path.name, cases, known, is_full=is_full)


def _recognise(cases: object) -> Format | None:
    """The one format whose shape every case of the file has."""
    if not isinstance(cases, list) or not cases:
        return None
    for known in FORMATS:
        if all(isinstance(case, dict) and known.fits(case) for case in cases):
            return known
    return None


def _say(name: str, cases: list[Case], known: Format, *, is_full: bool) -> bool:
    verdicts = [known.judge(case, is_full=is_full) for case in cases]
    differing = [verdict for verdict in verdicts if verdict.differences]
    notes = "".join(f"; {note}" for note in _notes(verdicts))
    print(f"{name}: {len(cases)} cases, {len(differing)} differ ({known.name}{notes})")
    for verdict in differing[:SHOWN]:
        for difference in verdict.differences[:SHOWN]:
            print(f"  {verdict.name}: {difference}")
    return not differing


def _notes(verdicts: list[Verdict]) -> Iterator[str]:
    """What was taken into account, with the number of cases in which it was."""
    for note in dict.fromkeys(note for verdict in verdicts for note in verdict.notes):
        yield f"{sum(note in verdict.notes for verdict in verdicts)} x {note}"
