"""Knows whether anything is still in flight, and waits until nothing is.

Everything that takes time (an invocation, a delivery, a handshake, a close) enters and leaves.
After data went to a socket its client may answer: it is pinged and its pong awaited, for a client
that handles frames one after the other answers before it reads the ping. A source that must be
looked at for what is new (a DynamoDB stream) is asked to look again before it is called quiet.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol

PONG_LIMIT_S: Final = 5.0
BREATHS: Final = 3


class Answering(Protocol):
    """A socket that can be asked whether its client has read everything."""

    def confirm(self) -> asyncio.Future[None]:
        """Ping the client; the future is done when it answers or is gone."""

    def give_up(self) -> None:
        """The client did not answer in time: do not wait for it again."""


class Quiet:
    """Counts what is in flight."""

    def __init__(self) -> None:
        self.count = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._entered = 0
        self._unconfirmed: Callable[[], Sequence[Answering]] = lambda: ()
        self._looks: list[Callable[[], Awaitable[bool]]] = []

    def listen_to(self, unconfirmed: Callable[[], Sequence[Answering]]) -> None:
        """Ask `unconfirmed` for the sockets that were sent data since their last pong."""
        self._unconfirmed = unconfirmed

    def ask_again(self, look: Callable[[], Awaitable[bool]]) -> None:
        """Let `look` say whether a source has something new, which has then begun."""
        self._looks.append(look)

    def enter(self) -> None:
        """Something began."""
        self.count += 1
        self._entered += 1
        self._idle.clear()

    def leave(self) -> None:
        """Something ended."""
        self.count -= 1
        if self.count == 0:
            self._idle.set()

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Count what happens inside as in flight."""
        self.enter()
        try:
            yield
        finally:
            self.leave()

    async def settle(self, grace_s: float = 0.0) -> None:
        """Return when nothing is in flight, answers of clients included.

        `grace_s` is real time for clients whose pong proves nothing (a browser's network process
        answers pings by itself).
        """
        while True:
            posted = await self._drain()
            if not posted or not grace_s:
                return
            await asyncio.sleep(grace_s)

    async def _drain(self) -> bool:
        any_posted = False
        while True:
            await self._still()
            sockets = self._unconfirmed()
            if sockets:
                any_posted = True
                await _confirmed(sockets)
            elif not await self._has_news():
                return any_posted

    async def _has_news(self) -> bool:
        """Look again; say whether anything was found, or began while it was looked for."""
        entered = self._entered
        found = [await look() for look in self._looks]
        return any(found) or entered != self._entered

    async def _still(self) -> None:
        while True:
            # What clients sent already lies in the sockets' buffers: let the loop read it first.
            for _ in range(BREATHS):
                await asyncio.sleep(0)
            if self.count == 0:
                return
            await self._idle.wait()


async def _confirmed(sockets: Sequence[Answering]) -> None:
    pongs = {socket.confirm(): socket for socket in sockets}
    _, missing = await asyncio.wait(pongs, timeout=PONG_LIMIT_S)
    for pong in missing:
        pongs[pong].give_up()
