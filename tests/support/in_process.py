"""The real handlers in this process, on MiniStack and a tiny AWS, under a clock of our own.

Functions are called as Lambda does, one event after the other; timers ring when time passes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from types import ModuleType
from typing import Any

import pytest
from aws_lambda_powertools import Metrics

from shared.delivery import clients
from shared.runtime import settings, telemetry, wiring
from shared.store.models import TableNames
from tests.support.client import new_id
from tests.support.handlers import function_of, load
from tests.support.recorded_events import From, from_connection, recorded, saying, timer
from tests.support.tiny_aws import Received, tiny_aws

START = 1_800_000_000_000
CACHES = (settings.settings, wiring.world, wiring.signed_tokens, wiring._bind, clients.client)
Message = dict[str, Any]


@dataclass
class Rig:
    """The functions, and what they have said."""

    aws: Received
    now: int = START
    modules: dict[str, ModuleType] = field(default_factory=dict)
    people: int = 0
    seated: list[From] = field(default_factory=list)
    """Whoever answers probes."""

    def call(self, function: str, event: Message) -> Any:  # noqa: ANN401 - what a function returns
        """What the function returns for the event."""
        if function not in self.modules:
            self.modules[function] = load(function)
        return self.modules[function].handler(event, object())

    def arrive(self, player: str | None = None) -> From:
        """A new connection, of a new guest or of that player."""
        self.people += 1
        if player is None:
            player = self.call("authorize", recorded("authorize"))["principalId"]
        origin = From(player, f"connection-{self.people:04d}=")
        self.call("connect", from_connection("connect", origin, self.now))
        return origin

    def say(self, origin: From, action: str, **fields: object) -> Message:
        """The answer to an action."""
        said = {"action": action, "id": new_id()} | fields
        self.call(function_of(action), saying(origin, said, self.now))
        return self.heard(origin)[-1]

    def leave(self, origin: From) -> None:
        """A connection closed."""
        self.call("disconnect", from_connection("disconnect", origin, self.now))

    def heard(self, origin: From) -> list[Message]:
        """What a connection was told."""
        return self.aws.heard_by(origin.connection)

    def ring(self, table: str, timer_at: int) -> None:
        """A timer message delivered."""
        self.call("timeout", timer(table, timer_at))

    def pass_(self, ms: int) -> None:
        """Time passes; timers ring when they are due, and probes are answered."""
        until = self.now + ms
        while (message := self._next_timer(until)) is not None:
            self.now = message["due"]
            before = len(self.aws.posts)
            self.ring(message["table"], message["timerAt"])
            self._answer_probes(before)
        self.now = until

    def _next_timer(self, until: int) -> Message | None:
        for message in self.aws.queued:
            message.setdefault("due", self.now + message["delay_s"] * 1000)
        due = min(self.aws.queued, key=lambda message: message["due"], default=None)
        if due is None or due["due"] > until:
            return None
        self.aws.queued.remove(due)
        return due

    def _answer_probes(self, before: int) -> None:
        players = {origin.connection: origin.player for origin in self.seated}
        for connection, _ in list(self.aws.posts)[before:]:
            told = self.aws.heard_by(connection)[-1]
            if told["event"] == "probe" and connection in players:
                origin = From(players[connection], connection)
                self.say(origin, "sync", table=told["table"], v=told["v"])


@dataclass
class Pair:
    """Two at a table of the rig."""

    rig: Rig
    white: From
    black: From
    table: str
    code: str

    def act(self, origin: From, action: str, **fields: object) -> Message:
        """An in-game action at the head."""
        head = self.rig.say(origin, "sync", table=self.table, v=0)["view"]
        known = {"table": self.table, "game": head["game"], "ply": head["ply"]}
        return self.rig.say(origin, action, **(known | fields))

    def move(self, ply: int, uci: str) -> Message:
        """The move, without a look at the head."""
        origin = self.white if ply % 2 == 0 else self.black
        return self.rig.say(origin, "move", table=self.table, game=1, ply=ply, uci=uci)

    def play(self, *ucis: str, wait_ms: int = 0) -> None:
        """Moves from the start, each so long after the last."""
        for ply, uci in enumerate(ucis):
            self.rig.now += wait_ms
            answer = self.move(ply, uci)
            if answer["event"] != "moved":
                raise AssertionError(answer)


def seat_two(rig: Rig, **wishes: object) -> Pair:
    """Two guests in a live game."""
    white, black = rig.arrive(), rig.arrive()
    made = rig.say(white, "createTable", **({"colour": "white"} | wishes))
    code = made["view"]["code"]
    rig.say(black, "joinTable", code=code)
    rig.seated += [white, black]
    return Pair(rig, white, black, made["table"], code)


@contextmanager
def running(names: TableNames) -> Iterator[Rig]:
    """The functions ready, their caches empty before and after."""
    with tiny_aws() as aws, pytest.MonkeyPatch.context() as patch:
        rig = Rig(aws)
        for name, value in asdict(names).items():
            patch.setenv(f"{name.upper()}_TABLE", value)
        for name, value in aws.environment.items():
            patch.setenv(name, value)
        patch.setattr(wiring, "system_now", lambda: rig.now)
        patch.setattr(telemetry, "_metrics", Metrics(namespace="Tabiya"))
        for cached in CACHES:
            cached.cache_clear()
        try:
            yield rig
        finally:
            for cached in CACHES:
                cached.cache_clear()
