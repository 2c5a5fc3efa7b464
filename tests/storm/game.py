"""One table: two players meet, play what is planned, and both see the end of it."""

import asyncio
import time
from dataclasses import dataclass
from typing import Final

from tests.storm.device import Place
from tests.storm.plans import Plan
from tests.storm.player import Meeting, Player
from tests.support.recorded_games import SideName

PATIENCE_S: Final = 240.0
"""Longer than any game: who dies in silence is missed after 60 s, and two timers may be lost."""
LOOK_S: Final = 1.0


@dataclass(eq=False)
class Game:
    """A table and its two players."""

    number: int
    plan: Plan
    maker: Player
    joiner: Player
    meeting: Meeting
    began: float = 0.0
    took: float = 0.0
    error: str | None = None
    """What kept it from being played to its end."""

    @classmethod
    def of(cls, number: int, plan: Plan, place: Place) -> "Game":
        """A game not yet begun."""
        side: SideName = "white" if number % 2 else "black"
        meeting = Meeting(plan, side)
        maker, joiner = (
            Player(meeting, is_maker, f"{number:05}{letter}", place)
            for is_maker, letter in ((True, "m"), (False, "j"))
        )
        return cls(number, plan, maker, joiner, meeting)

    @property
    def players(self) -> tuple[Player, ...]:
        """Who takes part: nobody joins a table that is closed."""
        both = (self.maker, self.joiner)
        return both[:1] if self.plan.last_word == "close" else both

    async def play(self) -> None:
        """Played to the end that both see, or given up with an error."""
        self.began = time.monotonic()
        for player in self.players:
            player.device.open()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.gather(*(self._see_the_end(player) for player in self.players))
        except TimeoutError:
            self.error = f"no end that both saw within {PATIENCE_S:.0f} s"
        self.took = time.monotonic() - self.began
        for player in self.players:
            player.device.close()
        await asyncio.gather(*(player.device.gone() for player in self.players))

    async def _see_the_end(self, player: Player) -> None:
        """He looks every now and then; one who has gone comes back when the other saw the end."""
        while not player.done.is_set():
            if player.is_away and self._other(player).done.is_set():
                player.is_away = False
                player.device.reload()
            player.look()
            try:
                async with asyncio.timeout(LOOK_S):
                    await player.done.wait()
            except TimeoutError:
                continue

    def _other(self, player: Player) -> Player:
        return self.joiner if player is self.maker else self.maker
