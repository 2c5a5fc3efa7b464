"""The local cloud alone, by an echo: how fast, in how much memory, and how soon.

A message goes through the gateway to a worker and back through `@connections`, called with a bare
botocore client. Beside it in the same run, with the same clients: a plain aiohttp WebSocket. What
was said, handled, posted and heard is counted, and the measurement fails unless all agree.
"""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.local.stack import Stack
from tests.load.echoes import Took, at_a_pace, each_after_its_own, lines
from tests.load.figures import Figure, figure, give, ratio
from tests.load.memory import Memory, memory_of, private_of
from tests.load.ready import start_up

ECHO = Path(__file__).parent / "echo" / "template.yaml"
FUNCTION = "EchoFunction"
WARM_UP = 200
ALONE = 1_000
CROWD = 200
EACH = 20
PER_SECOND = 500
SECONDS = 5
IDLE = 1_000


class Miscounted(Exception):
    """Something was lost or done twice."""


def main() -> None:
    """Speed, memory, start-up."""
    with _plain() as plain_url:
        plain_alone, plain_many = asyncio.run(_speed(plain_url))
    with _running() as stack:
        alone, many = asyncio.run(_speed(stack.websocket_url))
        said = WARM_UP + ALONE + 2 * CROWD + CROWD * EACH
        paced = asyncio.run(_paced(stack.websocket_url))
        said += 2 * CROWD + PER_SECOND * SECONDS
        counts = _counted(stack, said)
    give(
        [
            *_speed_figures("echo", alone, many, "aim: median under 5 ms", "aim: 500"),
            *_speed_figures("plain echo", plain_alone, plain_many, "", ""),
            ratio("echo to plain echo, one connection", _ms(alone), _ms(plain_alone)),
            *_pace_figures(paced),
            *counts,
            *_idle(),
            *start_up(ECHO),
        ]
    )


# -- speed ---------------------------------------------------------------------------------------


async def _speed(url: str) -> tuple[Took, Took]:
    """One connection, then many, each saying its next when it has heard its last."""
    async with lines(url, 1) as one:
        await each_after_its_own(one, WARM_UP)
        alone = await each_after_its_own(one, ALONE)
    async with lines(url, CROWD) as crowd:
        await each_after_its_own(crowd, 2)
        return alone, await each_after_its_own(crowd, EACH)


async def _paced(url: str) -> Took:
    async with lines(url, CROWD) as crowd:
        await each_after_its_own(crowd, 2)
        return await at_a_pace(crowd, PER_SECOND, SECONDS)


def _ms(took: Took) -> Figure:
    return figure("", "ms", took.each_ms)


def _speed_figures(what: str, alone: Took, many: Took, aim_ms: str, aim_rate: str) -> list[Figure]:
    crowd = f"{what}, {CROWD} connections"
    return [
        figure(_aiming(f"{what}, one connection", aim_ms), "ms", alone.each_ms),
        *_tail(f"{what}, one connection", alone),
        figure(f"{what}, one connection: a second", "", [alone.per_second]),
        figure(_aiming(f"{crowd}: a second", aim_rate), "", [many.per_second]),
        figure(f"{crowd}, each after its own", "ms", many.each_ms),
        *_tail(crowd, many),
    ]


def _pace_figures(took: Took) -> list[Figure]:
    what = f"echo at {PER_SECOND} a second, whatever comes back"
    return [figure(what, "ms", took.each_ms), *_tail(what, took)]


def _tail(what: str, took: Took) -> list[Figure]:
    hundredths = statistics.quantiles(took.each_ms, n=100)
    return [
        figure(f"{what}: 95 of 100 within", "ms", [hundredths[94]]),
        figure(f"{what}: 99 of 100 within", "ms", [hundredths[98]]),
    ]


def _aiming(what: str, aim: str) -> str:
    return f"{what} ({aim})" if aim else what


# -- counts --------------------------------------------------------------------------------------


def _counted(stack: Stack, said: int) -> list[Figure]:
    """What was said, as clients and gateway counted it; raises Miscounted."""
    stack.settle()
    metrics = stack.metrics()
    connects = 1 + 2 * CROWD
    found = {
        "messages said and heard": said,
        "messages that the gateway took": metrics["messages"],
        "invocations": metrics["invocations"][FUNCTION] - connects,
        "posts": metrics["posts"],
    }
    if len(set(found.values())) != 1 or metrics["errors"] or metrics["connects"] != connects:
        raise Miscounted(f"{found}, {metrics}")
    return [figure(what, "", [float(number)]) for what, number in found.items()]


# -- memory --------------------------------------------------------------------------------------


def _idle() -> list[Figure]:
    """What a thousand connections cost that say nothing."""
    with _running() as stack:
        return asyncio.run(_hold(stack))


async def _hold(stack: Stack) -> list[Figure]:
    async with lines(stack.websocket_url, 1) as one:
        await each_after_its_own(one, 1)
    before, private_before = memory_of(stack.pid), private_of(stack.pid)
    begun = time.perf_counter()
    async with lines(stack.websocket_url, IDLE):
        opening_s = time.perf_counter() - begun
        after, private_after = memory_of(stack.pid), private_of(stack.pid)
        if (held := len(await asyncio.to_thread(stack.connections))) != IDLE:
            raise Miscounted(f"{held} connections are open, not {IDLE}")
    each = (private_after - private_before) * 1024 / IDLE
    return [
        *_memory_figures("no connection", before),
        *_memory_figures(f"{IDLE:,} idle connections", after),
        figure("memory, a connection in the gateway", "bytes", [each]),
        figure(f"opening {IDLE:,} connections, $connect included", "s", [opening_s]),
    ]


def _memory_figures(when: str, memory: Memory) -> list[Figure]:
    return [
        figure(f"memory, {memory.processes} processes, {when}", "MB", [memory.all_mb]),
        figure(f"memory, the gateway alone, {when}", "MB", [memory.root_mb]),
    ]


# -- what is measured ----------------------------------------------------------------------------


@contextmanager
def _running() -> Iterator[Stack]:
    with (
        tempfile.TemporaryDirectory() as state,
        Stack.start(template=ECHO, state=Path(state)) as stack,
    ):
        yield stack


@contextmanager
def _plain() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.load.plain_echo"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("it was given pipes")
        yield process.stdout.readline().strip()
        process.stdin.close()


if __name__ == "__main__":
    main()
