"""One real socket of one client: opened, spoken over, lost.

Its network can be cut so that neither end notices: what is said then is lost, both ways.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp
import msgspec

from tests.support.client import SUBPROTOCOL, App, Message

HANDSHAKE_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class End:
    """Whose socket it is: what he is told of it."""

    opened: Callable[["Link"], None]
    heard: Callable[["Link", Message], None]
    lost: Callable[["Link"], None]


@dataclass(eq=False)
class Link:
    """A socket from its opening to its end."""

    end: End
    connection_id: str = ""
    is_cut: bool = False
    is_left: bool = False
    _socket: aiohttp.ClientWebSocketResponse | None = None
    _unsaid: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    _task: asyncio.Task[None] | None = None

    def open(self, session: aiohttp.ClientSession, url: str, token: str | None) -> "Link":
        """It is being opened."""
        self._task = asyncio.create_task(self._live(session, url, token))
        return self

    def say(self, text: str) -> None:
        """The text is on its way, or lost."""
        if not self.is_cut:
            self._unsaid.put_nowait(text)

    def leave(self) -> None:
        """Closed as by a page that one leaves; nothing is told of it any more."""
        self.is_left = True
        if self._task is not None:
            self._task.cancel()

    async def left(self) -> None:
        """Until it is."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _live(self, session: aiohttp.ClientSession, url: str, token: str | None) -> None:
        offered = [SUBPROTOCOL] if token is None else [SUBPROTOCOL, token]
        try:
            async with asyncio.timeout(HANDSHAKE_S):
                self._socket = await session.ws_connect(App().address(url), protocols=offered)
        except (aiohttp.ClientError, TimeoutError, OSError):
            self._told(self.end.lost)
            return
        response: Any = self._socket._response
        self.connection_id = response.headers.get("X-Local-Connection-Id", "")
        self._told(self.end.opened)
        try:
            await self._talk(self._socket)
        finally:
            await self._hang_up(self._socket)
        self._told(self.end.lost)

    async def _talk(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        speaking = asyncio.create_task(self._speak(socket))
        try:
            async for frame in socket:
                if frame.type is aiohttp.WSMsgType.TEXT and not (self.is_cut or self.is_left):
                    self.end.heard(self, msgspec.json.decode(frame.data))
        finally:
            speaking.cancel()

    async def _speak(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        while True:
            text = await self._unsaid.get()
            try:
                await socket.send_str(text)
            except (ConnectionError, aiohttp.ClientError):
                return  # the reading side notices it too

    async def _hang_up(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        """Without a word where the network is cut: the server is not told."""
        if self.is_cut and (transport := socket.get_extra_info("transport")) is not None:
            transport.abort()
        await socket.close()

    def _told(self, tell: Callable[["Link"], None]) -> None:
        if not self.is_left:
            tell(self)
