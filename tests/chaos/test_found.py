"""Histories that once broke a promise: they do no more."""

from pathlib import Path

import pytest

from tests.chaos.history import live_again
from tests.chaos.script import FOUND, read


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.json")), ids=lambda path: path.stem)
def test_a_promise_that_was_broken_once_is_kept(path: Path) -> None:
    told = live_again(read(path))
    assert told.broken is None, told.broken
