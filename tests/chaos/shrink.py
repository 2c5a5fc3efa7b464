"""A smaller history that breaks the same promise: acts and fates are left out while it does.

Whatever is left out takes its usual course: nothing is done, nothing goes wrong, and everything
takes its usual time.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from tests.chaos.history import Script, Told, live_again

MOST_RUNS = 1_500
_Thing = TypeVar("_Thing")


def shrink(told: Told) -> Told:
    """The smallest history found; the same where the promise is not broken by the script."""
    best = live_again(told.script)
    if best.promise != told.promise:
        return told
    runs = [0]

    def attempt(script: Script) -> bool:
        nonlocal best
        runs[0] += 1
        if runs[0] > MOST_RUNS:
            return False
        tried = live_again(script)
        if tried.promise != told.promise:
            return False
        best = replace(tried, script=script)
        return True

    before = -1
    while before != _size(best.script) and runs[0] <= MOST_RUNS:
        before = _size(best.script)
        _leave_out(best.script.acts, lambda acts: attempt(replace(best.script, acts=acts)))
        _leave_out(
            list(best.script.fates.items()),
            lambda fates: attempt(replace(best.script, fates=dict(fates))),
        )
    return best


def _size(script: Script) -> int:
    return len(script.acts) + len(script.fates)


def _leave_out(things: list[_Thing], attempt: Callable[[list[_Thing]], bool]) -> None:
    """Halves, quarters, and so on down to single ones are left out, as long as that is possible."""
    chunk = len(things)
    while chunk:
        start = 0
        while start < len(things):
            rest = things[:start] + things[start + chunk :]
            if attempt(rest):
                things = rest
            else:
                start += chunk
        chunk //= 2
