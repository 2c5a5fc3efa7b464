"""What befalls devices while they play: sockets broken, networks cut, pages reloaded.

What befalls the services, the weather, is drawn by the local system's own switches.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from infra.local.stack import Stack, StackError
from tests.storm.game import Game
from tests.storm.player import Player

WEATHER: Final[dict[str, Any]] = {
    "messages": "shuffled",
    "posts": "shuffled",
    "disconnect_dropped": 0.1,
    "disconnect_late": 0.3,
    "queue_doubled": 0.2,
    "queue_late": 0.3,
    "queue_late_ms": 3_000,
    "queue_order": "shuffled",
    "tick_doubled": 1.0,
    "tick_late": 1.0,
    "cold_start_ms": 50,
    "recycle_after": 100,
    "killed": 0.02,
    "killed_ms": 40,
    "dynamodb_throttled": 0.01,
    "dynamodb_failed": 0.005,
    "dynamodb_failed_after": 0.01,
    "dynamodb_hung_up": 0.01,
    "dynamodb_unanswered": 0.003,
    "dynamodb_conflict": 0.03,
    "dynamodb_late": 0.03,
    "sqs_throttled": 0.06,
    "sqs_failed": 0.06,
    "sqs_failed_after": 0.1,
    "sqs_hung_up": 0.1,
    "sqs_unanswered": 0.02,
    "sqs_late": 0.1,
    "connections_throttled": 0.02,
    "connections_failed": 0.02,
    "connections_failed_after": 0.02,
    "connections_hung_up": 0.02,
    "connections_unanswered": 0.003,
    "connections_late": 0.03,
}
MANNERS: Final = ("dead", "gone", "reset", "no network", "reload")
"""The first three are done to the socket by the gateway: unnoticed, 410 at once, and 1006."""
LONGEST_CUT_S: Final = 9.0
EVERY_S: Final = 16.0
"""How often, on average, something befalls each game."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Troubles the games under way."""

    stack: Stack
    dice: random.Random

    async def make(self, games: Callable[[], Sequence[Game]]) -> None:
        """Something befalls somebody, for ever."""
        while True:
            under_way = games()
            await asyncio.sleep(self.dice.expovariate(max(1, len(under_way)) / EVERY_S))
            playing = [player for game in under_way for player in game.players if _plays(player)]
            if playing:
                await self._befall(self.dice.choice(playing), self.dice.choice(MANNERS))

    async def _befall(self, player: Player, manner: str) -> None:
        device, link = player.device, player.device.client.socket
        if link is None:
            return
        device.place.counts[f"trouble: {manner}"] += 1
        match manner:
            case "no network":
                device.cut(self.dice.uniform(1.0, LONGEST_CUT_S))
            case "reload":
                player.forget()
                device.reload()
            case _:
                device.note(f"socket broken: {manner}")
                device.disturb()
                try:
                    await self.stack.cut_async(link.connection_id, manner)
                except StackError:
                    device.note("it was gone already")


def _plays(player: Player) -> bool:
    return not player.is_away and not player.is_done and player.device.client.is_open
