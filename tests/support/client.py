"""A client as an app has one: one socket, actions with ids, the head of its table.

Frames are read one after the other in one task, and a probe is answered there before the next is
read: when the gateway's ping comes back, everything sent before it has been dealt with. Waiting
means being told, never looking again; every wait is bounded.
"""

import asyncio
import base64
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import msgspec
from aiohttp import (
    ClientSession,
    ClientTimeout,
    ClientWebSocketResponse,
    TCPConnector,
    WSMsgType,
)

PATIENCE_S = 30.0
"""How long anything is waited for, in real time: far longer than it takes."""
SUBPROTOCOL = "tabiya.v1"
ID_BYTES = 12
Message = dict[str, Any]


def new_id() -> str:
    """The id of a new intention: 96 random bits."""
    return base64.urlsafe_b64encode(secrets.token_bytes(ID_BYTES)).decode()


@dataclass(frozen=True, slots=True)
class App:
    """What a client says of itself when it connects."""

    version: str = "1.0.0"
    platform: str = "web"
    language: str = "en"

    def address(self, url: str) -> str:
        """The address with that in its query."""
        query = {"v": self.version, "platform": self.platform, "lang": self.language}
        return f"{url}?{urlencode(query)}"


@dataclass
class Client:
    """One open socket, and everything that was heard on it."""

    socket: ClientWebSocketResponse
    connection_id: str
    heard: list[Message] = field(default_factory=list)
    token: str | None = None
    table: str = ""
    v: int = 0
    game: int = 1
    ply: int = 0
    is_mute: bool = False
    """A client that does not answer probes, as one whose process hangs."""
    close_code: int | None = None
    _waiting: list[tuple[Callable[[Message], bool], asyncio.Future[Message]]] = field(
        default_factory=list
    )
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    # -- speaking -----------------------------------------------------------------------------

    async def ask(self, action: str, **fields: object) -> Message:
        """The answer to an action; without an `id` of its own it is a new intention."""
        said = {"action": action, "id": new_id()} | fields
        _, answer = await asyncio.gather(self.say(said), self.answer_to(str(said["id"])))
        return answer

    async def act(self, action: str, **fields: object) -> Message:
        """The answer to an in-game action at the head of this client's table."""
        known = {"table": self.table, "game": self.game, "ply": self.ply}
        return await self.ask(action, **(known | fields))

    async def say(self, said: Message) -> None:
        """The message sent; nothing is waited for."""
        await self.shout(msgspec.json.encode(said).decode())

    async def shout(self, text: str) -> None:
        """Any text at all sent."""
        await self.socket.send_str(text)

    async def hello(self) -> Message:
        """The answer to `hello`; its token is kept."""
        answer = await self.ask("hello")
        self.token = answer.get("token")
        return answer

    # -- hearing ------------------------------------------------------------------------------

    async def answer_to(self, re: str) -> Message:
        """The message that answers the one with that id."""
        return await self.wait_for(lambda message: message.get("re") == re)

    async def event_at(self, v: int) -> Message:
        """The event that brought the table to `v`."""
        return await self.wait_for(lambda message: message.get("v") == v and _is_news(message))

    async def wait_for(self, fits: Callable[[Message], bool], since: int = 0) -> Message:
        """The first message that fits, of those heard from the `since`-th on."""
        for message in self.heard[since:]:
            if fits(message):
                return message
        if self._ended.is_set():
            raise ConnectionError(f"closed with {self.close_code}; last heard: {self.heard[-1:]}")
        told: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        entry = (fits, told)
        self._waiting.append(entry)
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await told
        except TimeoutError:
            raise TimeoutError(f"not heard; last: {self.heard[-3:]}") from None
        finally:
            self._waiting.remove(entry)

    async def ended(self) -> int | None:
        """The code with which the socket was closed, once it is."""
        async with asyncio.timeout(PATIENCE_S):
            await self._ended.wait()
        return self.close_code

    @property
    def news(self) -> list[Message]:
        """The events of this client's table, in the order they came."""
        return [message for message in self.heard if _is_news(message)]

    # -- the socket ---------------------------------------------------------------------------

    async def read(self) -> None:
        """Everything that comes, until the socket ends."""
        async for frame in self.socket:
            if frame.type is WSMsgType.TEXT:
                await self._take(msgspec.json.decode(frame.data))
        self.close_code = self.socket.close_code
        self._ended.set()
        for _, told in self._waiting:
            if not told.done():
                told.set_exception(ConnectionError(f"closed with {self.close_code}"))

    async def _take(self, message: Message) -> None:
        self.heard.append(message)
        self._keep_head(message)
        if message.get("event") == "probe" and not self.is_mute:
            await self.say(
                {"action": "sync", "id": new_id(), "table": message["table"], "v": self.v}
            )
        for fits, told in list(self._waiting):
            if not told.done() and fits(message):
                told.set_result(message)

    def _keep_head(self, message: Message) -> None:
        view = message.get("view") or {}
        table = message.get("table") or view.get("table")
        v = message.get("v") or view.get("v") or 0
        if table is None or message["event"] == "probe":
            return
        if table == self.table and v < self.v:
            return
        self.table, self.v = table, v
        if message["event"] == "moved":
            self.game, self.ply = message["game"], message["ply"] + 1
        elif view:
            self.game, self.ply = view["game"], view["ply"]


def many_sockets() -> ClientSession:
    """A session that holds any number of sockets and waits for none of them for long."""
    connector = TCPConnector(limit=0)
    return ClientSession(connector=connector, timeout=ClientTimeout(total=PATIENCE_S))


@asynccontextmanager
async def connected(
    session: ClientSession, url: str, token: str | None = None, app: App | None = None
) -> AsyncIterator[Client]:
    """A client that is connected; closed at the end as a page is that one leaves."""
    offered = [SUBPROTOCOL] if token is None else [SUBPROTOCOL, token]
    address = (app or App()).address(url)
    async with session.ws_connect(address, protocols=offered, max_msg_size=0) as socket:
        if socket.protocol != SUBPROTOCOL:
            raise ConnectionError(f"sub-protocol {socket.protocol}")
        connection_id = socket._response.headers.get("X-Local-Connection-Id", "")
        client = Client(socket, connection_id, token=token)
        reading = asyncio.create_task(client.read())
        try:
            yield client
        finally:
            await socket.close()
            await reading


_NO_NEWS = frozenset({"hello", "pong", "unchanged", "view", "probe", "replaced", "refused"})


def _is_news(message: Message) -> bool:
    """Whether the message tells of an event, rather than how things stand."""
    return message.get("event") not in _NO_NEWS
