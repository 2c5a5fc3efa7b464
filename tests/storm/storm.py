"""A few hundred real games, several at a time, on the whole product while everything goes wrong.

Real sockets, real functions in real processes, real AWS clients, real time. When all is over the
weather is calm again, and what is stored is read once and judged.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from infra.local.stack import Stack
from tests.storm.device import Place
from tests.storm.freshness import Lag, lags
from tests.storm.game import Game
from tests.storm.kept import Kept
from tests.storm.plans import make_plans
from tests.storm.referee import Judgement, judge
from tests.storm.trouble import WEATHER, Trouble
from tests.support.client import many_sockets
from tests.support.stored import Stored
from tests.support.system import ROOT, TEMPLATE

AT_ONCE: Final = 32
WORKERS: Final = 8
ABSENCE_MS: Final = 12_000
"""Longer than it takes to come back when the first two attempts fail."""
PRELOAD: Final = (
    "aws_lambda_powertools.metrics",
    "chess",
    "itsdangerous",
    "msgspec",
    "pynamodb.models",
    "shared.delivery.posts",
    "shared.gate.tokens",
    "shared.service.act",
    "shared.store.players",
    "shared.store.tables",
)


@dataclass
class Storm:
    """What happened."""

    seed: int
    games: list[Game] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    faults: dict[str, int] = field(default_factory=dict)
    metrics: dict[str, object] = field(default_factory=dict)
    judgements: dict[int, Judgement] = field(default_factory=dict)
    kept: Kept = field(default_factory=Kept)
    seconds: float = 0.0

    @property
    def wrong(self) -> list[Game]:
        """The games in which something is wrong."""
        return [game for game in self.games if self.judgements[game.number].wrong]

    @property
    def excused(self) -> list[Game]:
        """The games that ended otherwise than planned because time ran out."""
        return [game for game in self.games if self.judgements[game.number].excuse]

    @property
    def endings(self) -> Counter[str]:
        """How the games ended that went as planned."""
        return Counter(
            game.plan.kind for game in self.games if not self.judgements[game.number].excuse
        )

    @property
    def lags(self) -> list[Lag]:
        """How soon everybody knew."""
        return [lag for game in self.games for lag in lags(game)]


@contextmanager
def ground(state: Path) -> Iterator[Stack]:
    """The product, in calm weather."""
    with Stack.start(
        template=TEMPLATE,
        state=state,
        layers=[ROOT],
        parameters={"AbsenceMs": str(ABSENCE_MS)},
        arguments=(
            *("--workers", str(WORKERS), "--fault", "dynamodb-late=0"),
            *(one for module in PRELOAD for one in ("--preload", module)),
        ),
    ) as stack:
        yield stack


def storm(stack: Stack, number: int, seed: int) -> Storm:
    """So many games played, and judged."""
    told, began = Storm(seed), time.monotonic()
    stack.set_faults(**WEATHER, seed=seed)
    asyncio.run(_play(told, stack, number))
    told.metrics = stack.metrics()
    told.faults = dict(told.metrics["faults"])  # type: ignore[call-overload] # as the control API has it
    stack.set_faults()
    told.kept = Kept.read(Stored(stack))
    told.judgements = {game.number: judge(game, told.kept) for game in told.games}
    told.seconds = time.monotonic() - began
    return told


async def _play(told: Storm, stack: Stack, number: int) -> None:
    dice = random.Random(f"storm/{told.seed}")
    turns, under_way = asyncio.Semaphore(AT_ONCE), set[Game]()
    async with many_sockets() as session:
        place = Place(session, stack.websocket_url, dice.random, told.counts)
        plans = make_plans(number, told.seed)
        told.games = [Game.of(one, plan, place) for one, plan in enumerate(plans)]
        trouble = Trouble(stack, random.Random(f"trouble/{told.seed}"))
        troubling = asyncio.create_task(trouble.make(lambda: _listed(under_way)))

        async def play(game: Game) -> None:
            async with turns:
                under_way.add(game)
                await game.play()
                under_way.discard(game)

        try:
            await asyncio.gather(*(play(game) for game in told.games))
        finally:
            troubling.cancel()
            await asyncio.wait([troubling])
    if not troubling.cancelled():
        troubling.result()


def _listed(games: set[Game]) -> Sequence[Game]:
    return sorted(games, key=lambda game: game.number)
