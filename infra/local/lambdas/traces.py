"""An exception as a developer wants to read it: what it was, then where, his own lines in full.

Frames of the runtime are left out; of libraries it is told where they passed, without their code.
Paths are relative to where the system was started, so that editors and terminals can follow them.
"""

import importlib
import os
import sysconfig
import traceback
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

# The runtime here, and how it imports a handler.
RUNTIME: Final = (str(Path(__file__).parents[1]), "<frozen importlib", str(importlib.__file__))
LIBRARIES: Final = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
CAUSED: Final = "caused by:"
MEANWHILE: Final = "while this was handled:"
TOGETHER: Final = "together with others:"
# Of a function that calls itself without end.
MOST_OF_ONE: Final = 3


def trace(error: BaseException, start: str) -> str:
    """Return the exception in one line, and below it where it came from.

    `start` is the folder that paths are told from.
    """
    return "\n".join(_lines(traceback.TracebackException.from_exception(error), start))


def _lines(told: traceback.TracebackException, start: str) -> Iterator[str]:
    where, what, notes = _described(told)
    yield from what
    yield from _stack(told.stack, start)
    yield from (_relative(line, start) for line in where)
    yield from notes
    for one in told.exceptions or ():
        yield TOGETHER
        yield from _lines(one, start)
    if told.__cause__ is not None:
        yield CAUSED
        yield from _lines(told.__cause__, start)
    elif told.__context__ is not None and not told.__suppress_context__:
        yield MEANWHILE
        yield from _lines(told.__context__, start)


def _described(told: traceback.TracebackException) -> tuple[list[str], list[str], list[str]]:
    """Return where (of a syntax error, with its line), what, and the notes added to it."""
    parts = [part.rstrip("\n") for part in told.format_exception_only()]
    first = next(number for number, part in enumerate(parts) if not part.startswith("  "))
    where, what, notes = parts[:first], parts[first], parts[first + 1 :]
    return ["\n".join(where)] if where else [], what.split("\n"), notes


def _stack(frames: Iterable[traceback.FrameSummary], start: str) -> Iterator[str]:
    for _, same in groupby(frames, key=lambda frame: (frame.filename, frame.lineno)):
        told = list(same)
        for frame in told[:MOST_OF_ONE]:
            yield from _frame(frame, start)
        if len(told) > MOST_OF_ONE:
            yield f"  [{len(told) - MOST_OF_ONE} more of the same]"


def _frame(frame: traceback.FrameSummary, start: str) -> Iterator[str]:
    if frame.filename.startswith(RUNTIME):
        return
    yield _relative(f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}', start)
    if frame.line and not frame.filename.startswith(LIBRARIES):
        yield f"    {frame.line}"


def _relative(line: str, start: str) -> str:
    return line.replace(f'"{start}{os.sep}', '"')
