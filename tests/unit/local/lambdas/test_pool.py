"""Workers of functions, without their processes: who waits for one gets one."""

import asyncio
import json
import os
import socket
import struct
from pathlib import Path
from typing import Any, cast

from infra.local.faults import Chance, Faults
from infra.local.lambdas.functions import Function
from infra.local.lambdas.nursery import Nursery
from infra.local.lambdas.pool import Around, Pool
from infra.local.metrics import Metrics
from infra.local.timing.quiet import Quiet

FUNCTION = Function("F", "f", "arn:aws:lambda:r:0:function:f", "app.f", Path(), 3, 128, {})


class FakeNursery:
    """Holds the workers' ends of their sockets instead of forking."""

    def __init__(self) -> None:
        self.ends: list[socket.socket] = []
        self.asked = asyncio.Event()

    def spawn(self, function: Function, end: socket.socket) -> int:
        assert function is FUNCTION
        self.ends.append(end)
        self.asked.set()
        return len(self.ends)

    def kill(self, number: int) -> None:
        self.ends[number - 1].close()

    async def stop(self) -> None:
        for end in self.ends:
            end.close()

    def say(self, value: object) -> None:
        message = json.dumps({"value": value}).encode()
        self.ends[0].sendall(struct.pack("!I", len(message)) + message)

    async def heard(self) -> dict[str, Any]:
        """Return the event that the first worker was handed."""
        (length,) = struct.unpack("!I", await self._read(4))
        return dict(json.loads(await self._read(length)))

    async def _read(self, length: int) -> bytes:
        self.ends[0].setblocking(False)  # noqa: FBT003  it takes no keyword
        return await asyncio.get_running_loop().sock_recv(self.ends[0], length)


async def test_an_event_that_waits_for_a_worker_being_warmed_is_handled_though_warming_ends() -> (
    None
):
    nursery, quiet = FakeNursery(), Quiet()
    chance = Chance(Faults(freeze=False))
    pool = Pool(cast("Nursery", nursery), 1, Around(Metrics(), quiet, chance))
    warming = asyncio.ensure_future(pool.warm([FUNCTION]))
    await asyncio.wait_for(nursery.asked.wait(), 10)
    waiting = asyncio.ensure_future(pool.invoke(FUNCTION, {"last": "words"}))
    await asyncio.sleep(0)
    warming.cancel()
    await asyncio.wait([warming])
    nursery.say(os.getpid())
    async with asyncio.timeout(10):
        assert (await nursery.heard())["event"] == {"last": "words"}
        nursery.say("said")
        assert (await waiting).value == "said"
    await pool.stop()
    assert quiet.count == 0


async def test_who_waits_is_told_when_no_worker_can_be_made_and_the_next_gets_one() -> None:
    class DeadAtFirst(FakeNursery):
        has_died = False

        def spawn(self, function: Function, end: socket.socket) -> int:
            if not self.has_died:
                self.has_died = True
                end.close()
                raise BrokenPipeError
            return super().spawn(function, end)

    nursery, quiet = DeadAtFirst(), Quiet()
    chance = Chance(Faults(freeze=False))
    pool = Pool(cast("Nursery", nursery), 1, Around(Metrics(), quiet, chance))
    async with asyncio.timeout(10):
        refused = await pool.invoke(FUNCTION, {})
        assert refused.error is not None
        waiting = asyncio.ensure_future(pool.invoke(FUNCTION, {"second": True}))
        await nursery.asked.wait()
        nursery.say(os.getpid())
        assert (await nursery.heard())["event"] == {"second": True}
        nursery.say("served")
        assert (await waiting).value == "served"
    await pool.stop()
