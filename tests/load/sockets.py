"""From one player's move to the other's screen, over real sockets through the local system.

One game, then fifty at a move a second each; against a bare echo through the same gateway at the
same pace. And what the whole local system keeps in memory meanwhile.
"""

import asyncio
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

from infra.local.stack import Stack
from tests.load.figures import Figure, figure, give, ratio
from tests.load.memory import figures_of, memory_of
from tests.support.client import Client, connected, many_sockets, new_id
from tests.support.long_game import long_game
from tests.support.system import start

ECHO = Path(__file__).parent / "echo" / "template.yaml"
GAMES = 50
WARM_UP_PLIES = 4
ALONE_PLIES = 44
PACE_S = 1.0
SECONDS = 16
OPENED_AT_ONCE = 4
Turn = Callable[[int], Awaitable[float]]


def main() -> None:
    """The product, then the echo."""
    with tempfile.TemporaryDirectory() as state, start(Path(state), test_clock=False) as stack:
        alone, many, memory = asyncio.run(_play(stack))
    with (
        tempfile.TemporaryDirectory() as state,
        Stack.start(template=ECHO, state=Path(state)) as stack,
    ):
        echo_alone, echo_many = asyncio.run(_echo(stack))
    one = figure("move to opponent, one game", "ms", alone)
    fifty = figure(f"move to opponent, {GAMES} games at a move a second each", "ms", many)
    echo_one = figure("bare echo, one connection", "ms", echo_alone)
    echo_fifty = figure(f"bare echo, {GAMES} a second", "ms", echo_many)
    ratios = [
        ratio("one game to one echo", one, echo_one),
        ratio(f"{GAMES} games to {GAMES} echoes", fifty, echo_fifty),
    ]
    give([one, echo_one, fifty, echo_fifty, *ratios, *memory])


async def _play(stack: Stack) -> tuple[list[float], list[float], list[Figure]]:
    ucis = long_game(WARM_UP_PLIES + ALONE_PLIES)
    async with many_sockets() as session, AsyncExitStack() as sockets:

        async def game(opened: asyncio.Semaphore) -> Turn:
            async with opened:
                pair = [
                    await sockets.enter_async_context(connected(session, stack.websocket_url))
                    for _ in range(2)
                ]
                await _seat(*pair)
            return lambda ply: _move(pair, ply, ucis[ply])

        alone = await game(asyncio.Semaphore(1))
        alone_ms = [await alone(ply) for ply in range(len(ucis))][WARM_UP_PLIES:]
        opened = asyncio.Semaphore(OPENED_AT_ONCE)
        games = await asyncio.gather(*(game(opened) for _ in range(GAMES)))
        many_ms = await _pace(games)
        return alone_ms, many_ms, figures_of(memory_of(stack.pid))


async def _echo(stack: Stack) -> tuple[list[float], list[float]]:
    async with many_sockets() as session, AsyncExitStack() as sockets:

        async def line() -> Turn:
            socket = await sockets.enter_async_context(session.ws_connect(stack.websocket_url))

            async def say(_: int) -> float:
                begun = time.perf_counter()
                await socket.send_str('{"action": "echo", "id": "0123456789abcdef"}')
                await socket.receive()
                return (time.perf_counter() - begun) * 1000

            return say

        lines = [await line() for _ in range(GAMES)]
        alone_ms = [await lines[0](0) for _ in range(WARM_UP_PLIES + ALONE_PLIES)]
        return alone_ms[WARM_UP_PLIES:], await _pace(lines)


async def _pace(turns: list[Turn]) -> list[float]:
    """Each of them a turn a second, not all at the same instant; what each turn took."""
    chance = random.Random(7)

    async def run(turn: Turn, offset_s: float) -> list[float]:
        begun, took = time.perf_counter() + offset_s, []
        for number in range(SECONDS):
            await asyncio.sleep(max(0.0, begun + number * PACE_S - time.perf_counter()))
            took.append(await turn(number))
        return took[WARM_UP_PLIES:]

    runs = await asyncio.gather(*(run(turn, chance.random() * PACE_S) for turn in turns))
    return [ms for took in runs for ms in took]


async def _seat(white: Client, black: Client) -> None:
    made = await white.ask("createTable", colour="white")
    await black.ask("joinTable", code=made["view"]["code"])
    await white.event_at(2)


async def _move(pair: list[Client], ply: int, uci: str) -> float:
    mover, other = pair[ply % 2], pair[1 - ply % 2]
    said = {"action": "move", "id": new_id(), "table": mover.table, "game": 1, "ply": ply}
    begun = time.perf_counter()
    await mover.say(said | {"uci": uci})
    await other.wait_for(lambda message: message.get("ply") == ply, since=ply)
    took_ms = (time.perf_counter() - begun) * 1000
    await mover.answer_to(str(said["id"]))
    return took_ms


if __name__ == "__main__":
    main()
