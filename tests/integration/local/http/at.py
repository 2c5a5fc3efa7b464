"""The system that the tests of HTTP APIs run on, and how its answers are read."""

from pathlib import Path
from typing import Any

import aiohttp
from yarl import URL

from infra.local.stack import Stack

TEMPLATE = Path(__file__).parent / "http.yaml"
FILES = ("index.html", "page.html", "v1/page.html")
Http = aiohttp.ClientSession


def start(state: Path) -> Stack:
    """Return a running system with a few files, and time that stands still."""
    files = state / "files"
    for path in FILES:
        (files / path).parent.mkdir(parents=True, exist_ok=True)
        (files / path).write_text(f"the file {path}")
    return Stack.start(template=TEMPLATE, state=state / "state", static=files, test_clock=True)


async def told(answer: aiohttp.ClientResponse) -> tuple[int, Any]:
    """Return the status of an answer and its body, which is JSON."""
    return answer.status, await answer.json(content_type=None)


async def echoed(http: Http, url: str | URL, method: str = "GET", **more: Any) -> dict[str, Any]:  # noqa: ANN401  whatever aiohttp takes
    """Return the event that a request became."""
    async with http.request(method, url, **more) as answer:
        event: dict[str, Any] = (await answer.json(content_type=None))["event"]
        return event
