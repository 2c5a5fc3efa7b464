"""A page on some device: the histories' client on a real clock and real sockets.

Keeps its story, and notes when it was disturbed and which `v` it showed when.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import aiohttp

from tests.chaos.client import Client, Surroundings
from tests.storm.link import End, Link
from tests.support.client import Message, new_id

TOLD: Final = 400
"""Characters of a message that a story keeps."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where devices are switched on."""

    session: aiohttp.ClientSession
    url: str
    dice: Callable[[], float]
    counts: Counter[str]


@dataclass(eq=False)
class Device:
    """One player's device."""

    name: str
    place: Place
    on_look: Callable[[], None]
    on_answer: Callable[[Message], None]
    token: str | None = None
    player: str = ""
    story: list[tuple[float, str]] = field(default_factory=list)
    disturbed: list[float] = field(default_factory=list)
    """When something befell this very device, or it had to ask again."""
    showed: list[tuple[float, str, int]] = field(default_factory=list)
    """Since when it shows which `v` of which table."""
    news: list[Message] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    """How long after his clock was started he heard of it (ms)."""
    is_claiming: bool = True
    pages: int = 0
    client: Client[Link] = field(init=False)
    said: dict[str, Message] = field(default_factory=dict)
    """What it asked, by id."""

    def __post_init__(self) -> None:
        self.client = self._load()

    # -- what happens to it ------------------------------------------------------------

    def open(self) -> None:
        """The page is loaded."""
        self.note("page loaded")
        self.client.open()

    def close(self) -> None:
        """The page is closed."""
        self.note("page closed")
        self.disturb()
        self.client.stop()

    def reload(self) -> None:
        """Closed, and loaded anew: what was not answered is forgotten."""
        self.close()
        self.client = self._load()
        self.open()

    def cut(self, seconds: float) -> None:
        """No network for a while, and neither end notices; then the socket is found dead."""
        link = self.client.socket
        if link is None:
            return
        self.note(f"network cut for {seconds:.1f} s")
        self.disturb()
        link.is_cut = True
        asyncio.get_running_loop().call_later(seconds, self._find_dead, link)

    def disturb(self) -> None:
        """Something befalls it now."""
        self.disturbed.append(time.monotonic())

    def note(self, what: str) -> None:
        """A line of its story."""
        self.story.append((time.monotonic(), what))

    async def gone(self) -> None:
        """Its last socket is closed."""
        if self.client.socket is not None:
            await self.client.socket.left()

    def _find_dead(self, link: Link) -> None:
        if self.client.socket is link:
            self.disturb()
            self.client.drop()

    # -- what comes from its socket ----------------------------------------------------

    def _opened(self, link: Link) -> None:
        if self.client.socket is link:
            self.disturb()
            self.note(f"connected as {link.connection_id}")
            self.client.opened()

    def _lost(self, link: Link) -> None:
        if self.client.socket is link:
            self.disturb()
            self.note("connection lost")
            self.place.counts["client: connection lost"] += 1
            self.client.drop()

    def _heard(self, link: Link, message: Message) -> None:
        if self.client.socket is not link:
            return
        self.note(f"<< {json.dumps(message)[:TOLD]}")
        self._keep(message)
        was_welcome = self.client.is_welcome
        self.client.hear(message)
        if not was_welcome and self.client.is_welcome:
            self.disturb()
        self.on_answer(message)

    def _keep(self, message: Message) -> None:
        event = message.get("event")
        if event is None:
            self.disturb()
            self.place.counts["client: error frame"] += 1
        elif event == "hello":
            self.token, self.player = message["token"], message["player"]
        elif event == "refused":
            self.place.counts[f"client: refused {message['code']}"] += 1
            self.disturb()
        elif event == "moved" and message.get("legal"):
            self.turns.append(time.time_ns() // 1_000_000 - message["clock"]["turnAt"])
        if "v" in message and "table" in message:
            self.news.append(message)

    # -- what its client runs on -------------------------------------------------------

    def _load(self) -> Client[Link]:
        self.pages += 1
        loop = asyncio.get_running_loop()
        surroundings: Surroundings[Link] = Surroundings(
            name=self.name,
            now=lambda: time.time_ns() // 1_000_000,
            after=lambda ms, run: loop.call_later(ms / 1000, run),
            dial=self._dial,
            say=self._say,
            leave=Link.leave,
            jitter=lambda _: self.place.dice(),
            on_view=self._looked,
        )
        client = Client(surroundings, self.pages)
        claim = client.watch.on_claim
        client.watch.on_claim = lambda: claim() if self.is_claiming else None
        return client

    def _dial(self, _: str) -> Link:
        end = End(self._opened, self._heard, self._lost)
        return Link(end).open(self.place.session, self.place.url, self.token)

    def _say(self, link: Link, text: str) -> None:
        self.note(f">> {text}")
        message = json.loads(text)
        if message["id"] in self.said:
            self.disturb()
            self.place.counts["client: sent again"] += 1
        self.said[message["id"]] = message
        link.say(text)

    def _looked(self) -> None:
        view = self.client.view
        if view is not None:
            head = (view["table"], view["v"])
            if not self.showed or self.showed[-1][1:] != head:
                self.showed.append((time.monotonic(), *head))
        self.on_look()


def intention() -> str:
    """The id of a new intention."""
    return new_id()
