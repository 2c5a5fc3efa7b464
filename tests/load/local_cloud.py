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
from tests.load.echoes import Line, Took, at_a_pace, each_after_its_own, lines
from tests.load.figures import Figure, figure, give, ratio
from tests.load.memory import Memory, memory_of, private_of
from tests.load.ready import start_up
from tests.load.spent import Spent

ECHO = Path(__file__).parent / "echo" / "template.yaml"
FUNCTION = "EchoFunction"
TURNS = 5
ALONE = 1_000
CROWD = 200
WARM_UP_EACH = 2
EACH = 20
PLAIN_MORE = 5
PER_SECOND = 500
SECONDS = 5
IDLE = 1_000
# A new account lets 500 in a second connect, and fewer than this machine can.
NO_LIMIT = ("--limit", f"new-connections-per-second={2 * IDLE}")


class Miscounted(Exception):
    """Something was lost or done twice."""


def main() -> None:
    """Speed, memory, start-up."""
    with _plain() as (plain_url, plain_pid), _running() as stack:
        speed = asyncio.run(_speed(stack, plain_url, plain_pid))
        counts = _counted(stack)
    give([*speed, *counts, *_idle(), *start_up(ECHO)])


# -- speed ---------------------------------------------------------------------------------------


async def _speed(stack: Stack, plain_url: str, plain_pid: int) -> list[Figure]:
    async with lines(stack.websocket_url, 1) as one, lines(plain_url, 1) as plain_one:
        alone, plain_alone = await _alternately((one, ALONE), (plain_one, ALONE))
    async with lines(stack.websocket_url, CROWD) as crowd, lines(plain_url, CROWD) as plain_crowd:
        await each_after_its_own(crowd, WARM_UP_EACH)
        spent = Spent(stack.pid, plain_pid)
        many, plain_many = await _alternately((crowd, EACH), (plain_crowd, EACH * PLAIN_MORE))
        spent_figures = spent.figures(len(many.each_ms), len(plain_many.each_ms))
        paced = await at_a_pace(crowd, PER_SECOND, SECONDS)
    one_echo, plain_echo = "echo, one connection", "plain echo, one connection"
    echoes, plain_echoes = (f"{what}, {CROWD} connections" for what in ("echo", "plain echo"))
    echo = figure(f"{one_echo} (aim: under 5 ms)", "ms", alone.each_ms)
    plain = figure(plain_echo, "ms", plain_alone.each_ms)
    return [
        *(echo, *_tail(one_echo, alone)),
        *(plain, ratio("one echo to one plain echo", echo, plain)),
        figure(f"{echoes}: a second (aim: 500)", "", [many.per_second]),
        *(figure(echoes, "ms", many.each_ms), *_tail(echoes, many)),
        figure(f"{plain_echoes}: a second", "", [plain_many.per_second]),
        figure(f"echo, {PER_SECOND} a second, whatever comes back", "ms", paced.each_ms),
        *_tail(f"echo, {PER_SECOND} a second", paced),
        *spent_figures,
    ]


async def _alternately(*crowds: tuple[list[Line], int]) -> list[Took]:
    """Each crowd in turn, so that the machine's other work meets all alike."""
    took = [Took() for _ in crowds]
    for _ in range(TURNS):
        for (crowd, times), whole in zip(crowds, took, strict=True):
            part = await each_after_its_own(crowd, times // TURNS)
            whole.each_ms += part.each_ms
            whole.seconds += part.seconds
    return took


def _tail(what: str, took: Took) -> list[Figure]:
    hundredths = statistics.quantiles(took.each_ms, n=100)
    return [
        figure(f"{what}: 95 of 100 within", "ms", [hundredths[94]]),
        figure(f"{what}: 99 of 100 within", "ms", [hundredths[98]]),
    ]


# -- counts --------------------------------------------------------------------------------------


def _counted(stack: Stack) -> list[Figure]:
    """What was said, as clients and gateway counted it; raises Miscounted."""
    stack.settle()
    metrics = stack.metrics()
    connects = 1 + CROWD
    said = ALONE + CROWD * (WARM_UP_EACH + EACH) + PER_SECOND * SECONDS
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
    with _plain() as (plain_url, plain_pid), _running() as stack:
        return asyncio.run(_hold(stack, plain_url, plain_pid))


async def _hold(stack: Stack, plain_url: str, plain_pid: int) -> list[Figure]:
    async with lines(stack.websocket_url, 1) as one, lines(plain_url, 1) as plain_one:
        await asyncio.gather(each_after_its_own(one, 1), each_after_its_own(plain_one, 1))
    pids = (stack.pid, plain_pid)
    before, private_before = memory_of(stack.pid), [private_of(pid) for pid in pids]
    begun = time.perf_counter()
    async with lines(stack.websocket_url, IDLE):
        opening_s = time.perf_counter() - begun
        async with lines(plain_url, IDLE):
            after, private_after = memory_of(stack.pid), [private_of(pid) for pid in pids]
        if (held := len(await asyncio.to_thread(stack.connections))) != IDLE:
            raise Miscounted(f"{held} connections are open, not {IDLE}")
    each, plain_each = (
        (later - sooner) * 1024 / IDLE
        for sooner, later in zip(private_before, private_after, strict=True)
    )
    ours = figure("memory, a connection in the gateway", "bytes", [each])
    floor = figure("memory, a connection of the plain echo", "bytes", [plain_each])
    return [
        *_memory_figures("no connection", before),
        *_memory_figures(f"{IDLE:,} idle connections", after),
        *(ours, floor, ratio("a connection to one of the plain echo, memory", ours, floor)),
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
        Stack.start(template=ECHO, state=Path(state), arguments=NO_LIMIT) as stack,
    ):
        yield stack


@contextmanager
def _plain() -> Iterator[tuple[str, int]]:
    command = [sys.executable, "-m", "tests.load.plain_echo"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("it was given pipes")
        yield process.stdout.readline().strip(), process.pid
        process.stdin.close()


if __name__ == "__main__":
    main()
