"""Recorded games played by two clients each, all of them on one timeline.

Every move has its instant; between instants the test clock is advanced, at one instant the games
move side by side. What the clients heard is kept, and judged by the test.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.support.client import Client, Message, connected, many_sockets
from tests.support.recorded_games import RecordedGame, SideName, Turn, side_on_move

PATIENCE_MS = 2_000
LATEST_MS = 2_000
"""A timer may be armed for a second later, and SQS counts whole seconds: no verdict is later."""
OPENED_AT_ONCE = 8
MOVED_AT_ONCE = 16
"""The first moves all fall on one instant; more at once would only queue in the gateway."""
SIDES: tuple[SideName, SideName] = ("white", "black")


class Timeline(Protocol):
    """The test clock."""

    def now(self) -> int:
        """The instant it stands at."""
        ...

    def advance(self, ms: int) -> object:
        """Time passed, and everything dealt with that it brought about."""
        ...


SetClock = Callable[[str, SideName, int], None]
"""What is left to a side of a table, set from outside."""


@dataclass
class Played:
    """A game as it was played, and what either side heard."""

    game: RecordedGame
    began_at: int = 0
    table: str = ""
    heard: dict[SideName, list[Message]] = field(default_factory=dict)
    final: dict[SideName, Message] = field(default_factory=dict)
    error: BaseException | None = None


@dataclass
class Playing:
    """A game under way."""

    played: Played
    clients: dict[SideName, Client]
    set_clock: SetClock
    steps: list[tuple[int, Callable[[], Awaitable[None]]]] = field(default_factory=list)

    @property
    def game(self) -> RecordedGame:
        """The score sheet."""
        return self.played.game

    async def sit_down(self, now: int) -> None:
        """White makes the table, Black joins it; play begins now, and everything is planned."""
        white, black = (self.clients[side] for side in SIDES)
        await asyncio.gather(white.hello(), black.hello())
        control = {
            "totalMs": self.game.total_ms,
            "perMoveMs": None,
            "incrementMs": self.game.increment_ms,
        }
        made = await white.ask("createTable", colour="white", timeControl=control)
        await black.ask("joinTable", code=made["view"]["code"])
        await white.event_at(2)
        self.played.table, self.played.began_at = white.table, now
        self._plan(now)

    def due(self) -> int | None:
        """When something is to be done next."""
        return self.steps[0][0] if self.steps else None

    async def step(self, now: int) -> None:
        """Everything that is to be done at this instant, one thing after the other."""
        try:
            while self.steps and self.steps[0][0] <= now:
                _, do = self.steps.pop(0)
                await do()
        except (TimeoutError, ConnectionError, AssertionError, KeyError) as error:
            self.played.error = error
            self.steps.clear()

    async def conclude(self) -> None:
        """Both are shown the table as it stands at last."""
        for side in SIDES:
            client = self.clients[side]
            if self.played.error is None:
                self.played.final[side] = await client.ask("sync", table=client.table, v=0)
            self.played.heard[side] = client.heard

    def _plan(self, began_at: int) -> None:
        for turn in self.game.turns:
            self.steps.append((began_at + turn.at, self._mover(turn)))
        ending = self.game.ending
        last_words = {"resign": self._resign, "agree": self._agree, "flag": self._wait_for_the_end}
        if ending.last_word == "board":
            return
        late_ms = PATIENCE_MS + LATEST_MS if ending.last_word == "flag" else 0
        self.steps.append((began_at + ending.at + late_ms, last_words[ending.last_word]))

    def _mover(self, turn: Turn) -> Callable[[], Awaitable[None]]:
        async def move() -> None:
            side = side_on_move(turn.ply)
            answer = await self.clients[side].act("move", uci=turn.uci)
            if answer["event"] != "moved":
                raise AssertionError(answer)
            await self._other(side).event_at(answer["v"])
            if turn.clock_set is not None:
                self.set_clock(self.played.table, side, turn.clock_set)

        return move

    async def _resign(self) -> None:
        winner = self.game.ending.winner
        loser: SideName = "black" if winner == "white" else "white"
        answer = await self.clients[loser].act("resign")
        await self._other(loser).event_at(answer["v"])

    async def _agree(self) -> None:
        offerer = side_on_move(len(self.game.turns))
        offer = await self.clients[offerer].act("offerDraw")
        other = self._other(offerer)
        await other.event_at(offer["v"])
        answer = await other.act("acceptDraw", v=offer["v"])
        await self.clients[offerer].event_at(answer["v"])

    async def _wait_for_the_end(self) -> None:
        for side in SIDES:
            await self.clients[side].wait_for(lambda message: message["event"] == "ended")

    def _other(self, side: SideName) -> Client:
        return self.clients["black" if side == "white" else "white"]


async def play_all(
    games: Iterable[RecordedGame], url: str, timeline: Timeline, set_clock: SetClock
) -> list[Played]:
    """Every game played to its end. Real time passes only while something is done."""
    async with many_sockets() as session, AsyncExitStack() as sockets:
        at_once = asyncio.Semaphore(OPENED_AT_ONCE)

        async def begin(game: RecordedGame) -> Playing:
            async with at_once:
                clients = {
                    side: await sockets.enter_async_context(connected(session, url))
                    for side in SIDES
                }
                playing = Playing(Played(game), clients, set_clock)
                await playing.sit_down(timeline.now())
                return playing

        playings = await asyncio.gather(*(begin(game) for game in games))
        await _run(playings, timeline)
        await asyncio.gather(*(playing.conclude() for playing in playings))
        return [playing.played for playing in playings]


async def _run(playings: list[Playing], timeline: Timeline) -> None:
    at_once = asyncio.Semaphore(MOVED_AT_ONCE)

    async def step(playing: Playing, now: int) -> None:
        async with at_once:
            await playing.step(now)

    while dues := [due for playing in playings if (due := playing.due()) is not None]:
        await asyncio.to_thread(timeline.advance, max(0, min(dues) - timeline.now()))
        now = timeline.now()
        ready = [p for p in playings if (due := p.due()) is not None and due <= now]
        await asyncio.gather(*(step(playing, now) for playing in ready))


def news_from(heard: list[Message], v: int) -> list[dict[str, Any]]:
    """The events from `v` on, in the order they came."""
    return [
        message
        for message in heard
        if message.get("v", 0) >= v
        and message["event"] in {"moved", "ended", "drawOffered", "away", "back"}
    ]
