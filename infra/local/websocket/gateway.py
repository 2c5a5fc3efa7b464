"""The WebSocket API itself: connections, their messages and their end.

Knows in which order `$connect`, messages and `$disconnect` happen (facts A1, A2, A5). Who may
connect the door decides; shapes, routes and sockets it takes from elsewhere.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from infra.local.apigateway.throttles import Throttles
from infra.local.faults import Chance
from infra.local.ids import gateway_id
from infra.local.lambdas.invocation import Invoker
from infra.local.metrics import Metrics
from infra.local.timing.agenda import Agenda
from infra.local.timing.quiet import Quiet
from infra.local.websocket import complaints
from infra.local.websocket.connections import Connections
from infra.local.websocket.events import ConnectionFacts, Stamp, disconnect_event, message_event
from infra.local.websocket.farewells import Farewells
from infra.local.websocket.handshake import Admission, Door
from infra.local.websocket.integration import (
    FORBIDDEN,
    TOO_MANY,
    bad_request_frame,
    call,
    error_frame,
    message_of,
)
from infra.local.websocket.proxy import read_proxy_response
from infra.local.websocket.routes import DISCONNECT, Api, select
from infra.local.websocket.session import (
    ABNORMAL,
    ABNORMAL_REASON,
    Listener,
    Session,
    switching_protocols,
)
from infra.local.websocket.turns import Turns

GOING_AWAY: Final = (1001, "Going away")
THROTTLED: Final = (1008, TOO_MANY)
RESTART: Final = (1012, "Service restart")
CLIENT_LEFT: Final = 499


@dataclass(frozen=True, slots=True)
class Limits:
    """Spans of API Gateway that cannot be changed there."""

    idle_ms: int = 10 * 60 * 1000
    life_ms: int = 2 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Parts:
    """What a gateway is put together from."""

    agenda: Agenda
    quiet: Quiet
    invoker: Invoker
    connections: Connections
    metrics: Metrics
    door: Door
    throttles: Throttles
    chance: Chance
    limits: Limits = Limits()


class Gateway:
    """Serves the WebSocket APIs of a template."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._tasks: set[asyncio.Task[None]] = set()
        self._turns = Turns(parts.chance)
        self._farewells = Farewells(parts.chance, parts.agenda)

    # -- the beginning ------------------------------------------------------------------------

    async def connect(self, request: web.BaseRequest, api: Api) -> web.StreamResponse:
        """Answer an upgrade request; the connection lasts as long as this runs."""
        with self._parts.quiet.busy():
            admitted = await self._parts.door.admit(request, api)
            if isinstance(admitted, web.Response):
                return admitted
            session = self._begin(request, admitted)
        if session is None:
            return web.Response(status=CLIENT_LEFT)
        await session.ended
        return _Upgraded()

    def _begin(self, request: web.BaseRequest, admitted: Admission) -> Session | None:
        parts, facts = self._parts, admitted.facts
        transport = request.transport
        if not isinstance(transport, asyncio.Transport):
            # The client left while $connect ran: it was connected, so it is disconnected.
            self._say_farewell(facts, ABNORMAL, ABNORMAL_REASON)
            return None
        listener = Listener(self._on_text, parts.quiet.enter, self._on_end)
        session = Session(facts, transport, listener, parts.agenda.clock.now())
        parts.connections.add(session)
        parts.metrics.connects += 1
        sub_protocol = admitted.answer.headers.get("sec-websocket-protocol")
        key = request.headers["Sec-WebSocket-Key"]
        transport.write(switching_protocols(key, sub_protocol, session.id))
        request.protocol.keep_alive(val=False)
        request.protocol.set_parser(session)  # type: ignore[arg-type]  # it is fed, no more
        self._watch(session)
        return session

    # -- messages ----------------------------------------------------------------------

    def _on_text(self, session: Session, text: str) -> None:
        now = self._parts.agenda.clock.now()
        session.last_active_at = now
        self._parts.metrics.messages += 1
        work = self._message(session, text, Stamp(gateway_id(), now))
        self._spawn(self._turns.in_turn(session.id, work), session.handled)

    async def _message(self, session: Session, text: str, stamp: Stamp) -> None:
        facts = session.facts
        route = select(facts.api, text)
        if route is None:
            complaints.of_message(text)
            session.send_text(error_frame(FORBIDDEN, facts, stamp))
            return
        place = (facts.api.id, facts.api.stage, route.key)
        if not self._parts.throttles.takes_message(place, facts.api.rates.of(route.key)):
            self._throttled(session, stamp)
            return
        message_id = gateway_id()
        if route.validation is not None and not route.validation.accepts(text):
            session.send_text(bad_request_frame(facts, message_id))
            return
        event = message_event(facts, stamp, route.key, (message_id, text))
        outcome = await call(self._parts.invoker, route, event)
        answer = None if outcome.error is not None else read_proxy_response(outcome.value)
        if answer is None or (route.answers_sender and answer.is_too_long):
            complaints.of_answer(route, outcome)
            message = message_of(outcome.error)
            session.send_text(error_frame(message, facts, stamp))
        elif route.answers_sender and answer.body is not None:
            session.send_text(answer.body.encode())

    def _throttled(self, session: Session, stamp: Stamp) -> None:
        self._parts.metrics.throttled += 1
        if self._parts.chance.faults.throttled == "told":
            session.send_text(error_frame(TOO_MANY, session.facts, stamp))
            return
        self._parts.chance.counts["throttled"] += 1
        self._end(session, THROTTLED)

    # -- the end -----------------------------------------------------------------------

    def _on_end(self, session: Session, code: int, reason: str) -> None:
        self._parts.connections.forget(session)
        self._say_farewell(session.facts, code, reason)
        if session.is_closing:
            self._parts.quiet.leave()

    def _say_farewell(self, facts: ConnectionFacts, code: int, reason: str) -> None:
        self._farewells.say(lambda: self._spawn(self._disconnected(facts, code, reason)))

    async def _disconnected(self, facts: ConnectionFacts, code: int, reason: str) -> None:
        self._parts.metrics.disconnects += 1
        route = facts.api.routes.get(DISCONNECT)
        if route is not None:
            stamp = Stamp(gateway_id(), self._parts.agenda.clock.now())
            event = disconnect_event(facts, stamp, code, reason)
            await call(self._parts.invoker, route, event)

    def drop(self, session: Session) -> None:
        """Let a connection vanish: no `$disconnect`, 410 from now on."""
        self._parts.connections.forget(session)
        session.vanish()

    async def close_all(self, limit_s: float) -> None:
        """Every client is told that the service restarts, and its `$disconnect` has run."""
        self._farewells.hurry()
        for session in self._parts.connections:
            session.close(*RESTART)
        if self._tasks or self._parts.connections.sessions:
            try:
                async with asyncio.timeout(limit_s):
                    await self._parts.quiet.settle()
            except TimeoutError:
                for task in list(self._tasks):
                    task.cancel()

    def _watch(self, session: Session) -> None:
        agenda, limits = self._parts.agenda, self._parts.limits

        def end_if_idle() -> None:
            idle_at = session.last_active_at + limits.idle_ms
            if not session.is_open:
                return
            if idle_at > agenda.clock.now():
                agenda.at(idle_at, end_if_idle)
            else:
                self._end(session)

        agenda.at(session.last_active_at + limits.idle_ms, end_if_idle)
        agenda.at(session.facts.connected_at + limits.life_ms, lambda: self._end(session))

    def _end(self, session: Session, why: tuple[int, str] = GOING_AWAY) -> None:
        self._parts.connections.forget(session)
        session.close(*why)

    def _spawn(
        self, work: Coroutine[Any, Any, None], after: Callable[[], None] | None = None
    ) -> None:
        self._parts.quiet.enter()
        task = asyncio.ensure_future(work)
        self._tasks.add(task)

        def ended(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            self._parts.quiet.leave()
            if after is not None:
                after()
            if not task.cancelled():
                task.result()

        task.add_done_callback(ended)


class _Upgraded(web.StreamResponse):
    """What aiohttp is given at the end of a socket: the answer was sent long ago."""

    async def prepare(self, request: web.BaseRequest) -> None:
        """Nothing is left to prepare."""

    async def write_eof(self, data: bytes = b"") -> None:
        """Nothing is left to write."""
