"""Notices that files of functions and layers have changed, and lets the functions be loaded anew.

Looks at names, times and sizes twice a second, and less often where that takes long. Passes over
what no handler reads: hidden files, virtual environments, compiled code, what is served as it is.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from infra.local.lambdas.functions import Functions
from infra.local.lambdas.invocation import Invoker
from infra.local.logs import note
from infra.local.options import Options

LOOK_EVERY_S: Final = 0.5
# Looking takes a twentieth of a processor's time at most, however many files there are.
MOST_OF_THE_TIME: Final = 20
# A file that is being written is looked at again until it is written.
SETTLED_S: Final = 0.05
PASSED_OVER: Final = frozenset({"__pycache__", "node_modules", "tests", "docs"})
NOT_READ: Final = frozenset({".pyc", ".pyo", ".log", ".md", ".swp", ".swx", ".tmp"})
OF_AN_ENVIRONMENT: Final = "pyvenv.cfg"

Stamps: TypeAlias = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Watched:
    """Folders to look at, and files and folders in them to pass over."""

    folders: Sequence[Path]
    passed_over: frozenset[str] = frozenset()

    def stamps(self) -> Stamps:
        """Return time and size of every file by its path."""
        return dict(stamp for folder in self.folders for stamp in self._stamps(str(folder)))

    def _stamps(self, folder: str) -> Iterator[tuple[str, tuple[int, int]]]:
        for entry in _entries(folder):
            name = entry.name
            if name.startswith(".") or name in PASSED_OVER or entry.path in self.passed_over:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._stamps(entry.path)
            elif not name.endswith("~") and os.path.splitext(name)[1] not in NOT_READ:  # noqa: PTH122  a path object each would be half of the time
                try:
                    about = entry.stat()
                except OSError:
                    continue
                yield entry.path, (about.st_mtime_ns, about.st_size)


async def watch(watched: Watched, on_change: Callable[[list[Path]], Awaitable[None]]) -> None:
    """Call `on_change` with what is new, changed or gone, each time that something is."""
    seen = await asyncio.to_thread(watched.stamps)
    while True:
        started = time.perf_counter()
        now = await asyncio.to_thread(watched.stamps)
        took = time.perf_counter() - started
        if now != seen:
            await asyncio.sleep(SETTLED_S)
            settled = await asyncio.to_thread(watched.stamps)
            if settled != now:
                continue
            changed = {path for path, _ in now.items() ^ seen.items()}
            seen = now
            await on_change(sorted(Path(path) for path in changed))
        await asyncio.sleep(max(LOOK_EVERY_S, took * MOST_OF_THE_TIME))


async def reload_on_change(options: Options, functions: Functions, invoker: Invoker) -> None:
    """Whenever code or data of functions changes, the next events are handled by what is new."""
    template = options.template.resolve()
    warming: set[asyncio.Task[None]] = set()

    async def reload(changed: list[Path]) -> None:
        if template in changed:
            note("local", f"{_told(template)} has changed: stop and start again to have it served")
        code = [path for path in changed if path != template]
        if code:
            more = f" and {len(code) - 1} more" if len(code) > 1 else ""
            note("local", f"{_told(code[0])}{more} changed: functions are loaded anew")
            await invoker.reload()
            # What does not load any more is told now, not when its next event comes.
            task = asyncio.ensure_future(invoker.warm(list(functions)))
            warming.add(task)
            task.add_done_callback(warming.discard)

    await watch(watched_by(options, functions), reload)


def watched_by(options: Options, functions: Functions) -> Watched:
    """Return the folders that functions are made of; state and static files are not theirs."""
    folders = {one.code.resolve() for one in functions}
    folders |= {layer.resolve() for layer in options.layers}
    apart = [one for one in folders if not any(_reaches(other, one) for other in folders)]
    others = [options.state, *([options.static] if options.static is not None else [])]
    return Watched(sorted(apart), frozenset(str(one.resolve()) for one in others))


def _reaches(outer: Path, inner: Path) -> bool:
    if outer not in inner.parents:
        return False
    between = inner.relative_to(outer).parts
    return not any(part in PASSED_OVER or part.startswith(".") for part in between)


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        # Gone meanwhile, or nobody's to read: then no handler reads it either.
        return []
    return [] if any(one.name == OF_AN_ENVIRONMENT for one in found) else found


def _told(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
