"""The control API under `/_local`: health, the test clock, connections to cut, counters.

For tests and for people at this machine; anything but the page's config is refused to others.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from infra.local.metrics import Metrics
from infra.local.switches import FaultError, Switchboard, read_json
from infra.local.timing.agenda import Agenda
from infra.local.timing.clock import TestClock
from infra.local.timing.quiet import Quiet
from infra.local.websocket.connections import Connections
from infra.local.websocket.gateway import Gateway

DEAD: Final = "dead"
GONE: Final = "gone"
RESET: Final = "reset"


class ControlError(Exception):
    """What was asked cannot be done; told with status 400."""


@dataclass(frozen=True, slots=True)
class Control:
    """Answers the control API; `resources` says what the template's things are called."""

    agenda: Agenda
    quiet: Quiet
    connections: Connections
    gateway: Gateway
    metrics: Metrics
    resources: Mapping[str, Any]
    switches: Switchboard

    async def answer(self, request: web.BaseRequest, path: str) -> web.Response:
        """Answer one request; `path` is what follows `/_local/`."""
        try:
            return await self._answer(request, path)
        except (ControlError, FaultError) as error:
            return web.json_response({"error": str(error)}, status=400)

    async def _answer(self, request: web.BaseRequest, path: str) -> web.Response:
        match request.method, path.split("/"):
            case "GET", [name] if name in READS:
                return web.json_response(READS[name](self))
            case "POST", ["clock", "advance"]:
                return web.json_response(await self._advance(await _body(request)))
            case "POST", ["settle"]:
                await self.quiet.settle(_grace_s(await _body(request)))
                return web.json_response({"now": self.agenda.clock.now()})
            case "PUT", ["faults"]:
                self.switches.throw(read_json(await _body(request)))
                return web.json_response(self.switches.state())
            case "POST", ["connections", connection_id, "cut"]:
                return web.json_response(self._cut(connection_id, await _body(request)))
        return web.json_response({"error": "not found"}, status=404)

    async def _advance(self, body: Mapping[str, Any]) -> dict[str, Any]:
        clock, span = self.agenda.clock, body.get("ms")
        if not isinstance(clock, TestClock):
            raise ControlError("the clock is the system's: start with --test-clock")
        if not isinstance(span, int) or span < 0:
            raise ControlError("ms is a number of milliseconds, 0 or more")
        return {"now": await self.agenda.advance(clock, span, _grace_s(body))}

    def _cut(self, connection_id: str, body: Mapping[str, Any]) -> dict[str, Any]:
        session = self.connections.sessions.get(connection_id)
        if session is None:
            raise ControlError(f"no connection {connection_id}")
        manner = body.get("as", DEAD)
        if manner == DEAD:
            session.cut()
        elif manner == GONE:
            self.gateway.drop(session)
        elif manner == RESET:
            session.abort()
        else:
            raise ControlError(f"as is one of {DEAD}, {GONE}, {RESET}")
        return {"cut": connection_id, "as": manner}

    def clock_state(self) -> dict[str, Any]:
        """GET clock."""
        clock = self.agenda.clock
        return {
            "now": clock.now(),
            "isFrozen": clock.is_frozen,
            "nextDue": self.agenda.next_due(),
        }

    def counters(self) -> dict[str, Any]:
        """GET metrics."""
        return {
            **self.metrics.as_dict(),
            "connections": len(self.connections.sessions),
            "inFlight": self.quiet.count,
        }


READS: Final[Mapping[str, Callable[[Control], Any]]] = {
    "clock": Control.clock_state,
    "connections": lambda control: control.connections.described(),
    "faults": lambda control: control.switches.state(),
    "health": lambda _: {"ok": True},
    "metrics": Control.counters,
    "resources": lambda control: control.resources,
}


async def _body(request: web.BaseRequest) -> Mapping[str, Any]:
    try:
        body = json.loads(await request.read() or b"{}")
    except ValueError:
        raise ControlError("the body is not JSON") from None
    if not isinstance(body, Mapping):
        raise ControlError("the body is a JSON object")
    return body


def _grace_s(body: Mapping[str, Any]) -> float:
    return float(body.get("graceMs", 0)) / 1000
