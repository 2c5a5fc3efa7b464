"""Notices that source files of functions and layers have changed."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Final

LOOK_EVERY_S: Final = 0.5
WATCHED: Final = frozenset({".py", ".json", ".toml", ".yaml", ".txt"})
PASSED_OVER: Final = frozenset({"__pycache__", "node_modules", "tests", "docs", "web"})


async def watch(folders: list[Path], on_change: Callable[[], Awaitable[None]]) -> None:
    """Call `on_change` each time something under the folders is new, changed or gone."""
    seen = await asyncio.to_thread(_stamps, folders)
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        now = await asyncio.to_thread(_stamps, folders)
        if now != seen:
            seen = now
            await on_change()


def _stamps(folders: list[Path]) -> dict[str, int]:
    return {
        entry.path: entry.stat().st_mtime_ns for folder in folders for entry in _files(str(folder))
    }


def _files(folder: str) -> Iterator["os.DirEntry[str]"]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name in PASSED_OVER:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)
            elif Path(entry.name).suffix in WATCHED:
                yield entry
