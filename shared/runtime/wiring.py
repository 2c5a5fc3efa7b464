"""The composition root: which adapter stands behind which port. Made once a process."""

import random
import secrets
import time
from functools import cache

from shared.delivery.posts import ConnectionPosts
from shared.delivery.timers import QueueTimers
from shared.gate.tokens import SignedTokens
from shared.gate.versions import VersionGate
from shared.runtime.settings import Settings, settings
from shared.runtime.telemetry import count
from shared.service.heal import heal_limit
from shared.service.world import World
from shared.store import models
from shared.store.codes import Codes
from shared.store.connections import Connections
from shared.store.limits import Limits
from shared.store.players import Players
from shared.store.settings import Settings as LiveSettingsStore
from shared.store.settings import SigningKeys
from shared.store.tables import Tables

PAUSE_MS = 20
"""The longest wait before the second attempt; it doubles with each."""


def system_now() -> int:
    """The system clock in epoch ms."""
    return time.time_ns() // 1_000_000


@cache
def world() -> World:
    """The use cases' world, on AWS."""
    known = settings()
    _bind(known)
    return World(
        tables=Tables(system_now),
        codes=Codes(system_now),
        players=Players(),
        connections=Connections(),
        limits=Limits(),
        versions=VersionGate(LiveSettingsStore(system_now)),
        timers=QueueTimers(known.timer_queue_url, count),
        posts=ConnectionPosts(known.connections_url, count),
        tokens=signed_tokens(),
        policy=known.policy,
        now=system_now,
        random=secrets.token_bytes,
        may_heal=heal_limit(),
        pause=pause,
    )


def warm() -> None:
    """What the first message would wait for, made while a starting function has a whole core."""
    if settings().is_function:
        world().posts.open()


@cache
def signed_tokens() -> SignedTokens:
    """The identity tokens, on the signing keys of this deployment."""
    _bind(settings())
    return SignedTokens(SigningKeys(system_now))


def pause(attempt: int) -> None:
    """A short wait at random before the next attempt, so that two who met do not meet again."""
    time.sleep(random.uniform(0, PAUSE_MS * 2**attempt) / 1000)  # noqa: S311 - no secret


@cache
def _bind(known: Settings) -> None:
    models.bind(
        models.TableNames(
            tables=known.tables,
            codes=known.codes,
            connections=known.connections,
            players=known.players,
            limits=known.limits,
            games=known.games,
            settings=known.settings,
        )
    )
