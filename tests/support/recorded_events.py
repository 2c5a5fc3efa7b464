"""Events as AWS sends them, key by key: recorded shapes with this project's own values.

Shapes: API Gateway's CONNECT, MESSAGE and DISCONNECT as captured in public in 2024, the event of a
REQUEST authorizer, of an SQS queue and of a schedule. They live in tests/events.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVENTS = Path(__file__).parents[1] / "events"
Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class From:
    """Whose connection an event comes from."""

    player: str
    connection: str
    version: str = "1.0.0"


def recorded(name: str) -> Event:
    """The event of that name, a copy of one's own."""
    event: Event = json.loads((EVENTS / f"{name}.json").read_text())
    return event


def from_connection(name: str, origin: From, at: int) -> Event:
    """A CONNECT, MESSAGE or DISCONNECT event of a connection, received `at` (epoch ms)."""
    event = recorded(name)
    context = event["requestContext"]
    context["connectionId"] = origin.connection
    context["requestTimeEpoch"] = at
    identity = {"principalId": origin.player, "playerId": origin.player, "version": origin.version}
    context["authorizer"] |= identity
    return event


def saying(origin: From, said: Mapping[str, Any] | str, at: int) -> Event:
    """A MESSAGE event: an action, or any text."""
    event = from_connection("message", origin, at)
    event["body"] = said if isinstance(said, str) else json.dumps(said)
    action = said.get("action") if isinstance(said, Mapping) else None
    event["requestContext"]["routeKey"] = action or "$default"
    return event


def timer(table: str, timer_at: int) -> Event:
    """An SQS event with one timer message."""
    event = recorded("timer")
    event["Records"][0]["body"] = json.dumps({"table": table, "timerAt": timer_at})
    return event
