"""How soon a local system says that it is ready, and how soon it has answered a first message.

Against a process that only imports aiohttp's server, started in turn with it. As anybody's would,
both find compiled files of what they import.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from infra.local.stack import Stack
from tests.load.echoes import each_after_its_own, lines
from tests.load.figures import Figure, figure, ratio

RUNS = 5
FLOOR = "import aiohttp.web"


def start_up(template: Path) -> list[Figure]:
    """With a state folder of its own, first as new, then as at every later start."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    floor, new, ready, answered = [], [], [], []
    for _ in range(RUNS):
        floor.append(_floor())
        with tempfile.TemporaryDirectory() as state:
            new.append(_started(template, Path(state))[0])
            known = _started(template, Path(state))
        ready.append(known[0])
        answered.append(known[1])
    least = figure("start of Python with aiohttp alone", "s", floor)
    again = figure("start to the ready line", "s", ready)
    return [
        least,
        figure("start to the ready line, the first time", "s", new),
        again,
        figure("start to the first echo", "s", answered),
        ratio("start to the ready line, to aiohttp alone", again, least),
    ]


def _floor() -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", FLOOR], check=True)
    return time.perf_counter() - begun


def _started(template: Path, state: Path) -> tuple[float, float]:
    begun = time.perf_counter()
    with Stack.start(template=template, state=state) as stack:
        ready = time.perf_counter() - begun
        asyncio.run(_echo(stack.websocket_url))
        return ready, time.perf_counter() - begun


async def _echo(url: str) -> None:
    async with lines(url, 1) as one:
        await each_after_its_own(one, 1)
