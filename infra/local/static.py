"""Serves a folder of static files, never from a cache that the browser did not ask about."""

from pathlib import Path
from typing import Final

from aiohttp import web

HEADERS: Final = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}


def serve_file(folder: Path | None, path: str) -> web.StreamResponse:
    """Return the file at `path` inside `folder`; a folder means its index.html."""
    found = None if folder is None else _inside(folder, path)
    if found is None:
        return web.Response(status=404, text="Not found\n")
    return web.FileResponse(found, headers=HEADERS)


def _inside(folder: Path, path: str) -> Path | None:
    root = folder.resolve()
    wanted = (root / path.lstrip("/")).resolve() if "\0" not in path else root / "\ufffd"
    if wanted.is_dir():
        wanted /= "index.html"
    is_hidden = (
        any(part.startswith(".") for part in wanted.relative_to(root).parts)
        if (wanted.is_relative_to(root))
        else True
    )
    return None if is_hidden or not wanted.is_file() else wanted
