"""The real handlers, from `functions/`, in boxes of the simulation instead of on AWS.

What they would ask the composition root for is the world of the box they run in; what they would
log as a bug is kept with the process.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from shared.runtime import entry, timers
from tests.chaos.box import Box
from tests.support.handlers import load

NAMES: Final = ("connect", "disconnect", "sync", "lobby", "join", "move", "act", "timeout", "sweep")
HANDLERS: Final = {name: load(name) for name in NAMES}


class Current:
    """Which box runs at this moment."""

    box: Box | None = None


def run_in(box: Box) -> None:
    """From now on it is this box that runs."""
    Current.box = box


@contextmanager
def installed() -> Iterator[None]:
    """The handlers ask the box that runs, and log nothing."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (entry, timers, *HANDLERS.values()):
            for name, stand_in in (
                ("world", _world),
                ("log", _quiet),
                ("count", _quiet),
                ("log_bug", _keep_bug),
            ):
                if hasattr(module, name):
                    patch.setattr(module, name, stand_in)
        yield


def _world() -> object:
    return _running().world


def _quiet(*_values: object, **_keys: object) -> None:
    """Nothing is said."""


def _keep_bug(bug: BaseException, **_keys: object) -> None:
    process = _running().process
    if process is not None:
        process.bugs.append(bug)


def _running() -> Box:
    if Current.box is None:
        raise ValueError("no box runs")
    return Current.box


def handler_of(function: str) -> Any:  # noqa: ANN401 - each takes another event
    """The handler as Lambda calls it."""
    return HANDLERS[function].handler
