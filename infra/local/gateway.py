"""The WebSocket API itself: from a client's upgrade to `$disconnect`.

Knows in which order authorizer, `$connect`, messages and `$disconnect` happen and what the client
hears when something fails (facts A2, A3, A5). Shapes, routes and sockets it takes from elsewhere.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from infra.local.agenda import Agenda
from infra.local.authorizer import (
    UNAUTHORIZED,
    Refused,
    judge,
    lacks_identity,
    method_arn,
)
from infra.local.connections import Connections
from infra.local.events import (
    ConnectionFacts,
    Handshake,
    Stamp,
    authorizer_event,
    connect_event,
    disconnect_event,
    message_event,
)
from infra.local.ids import gateway_id, trace_id
from infra.local.intrinsics import Place
from infra.local.invocation import FunctionError, Invoker, Outcome
from infra.local.metrics import Metrics
from infra.local.proxy import ProxyResponse, read_proxy_response
from infra.local.quiet import Quiet
from infra.local.routes import CONNECT, DISCONNECT, Api, Authorizer, Route, select
from infra.local.session import Listener, Session, switching_protocols

INTEGRATION_TIMEOUT: Final = "Endpoint request timed out"
INTERNAL_ERROR: Final = "Internal server error"
FORBIDDEN: Final = "Forbidden"
GOING_AWAY: Final = (1001, "Going away")
RESTART: Final = (1012, "Service restart")


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
    place: Place
    domain: str
    limits: Limits = Limits()


class Gateway:
    """Serves the WebSocket APIs of a template."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._tasks: set[asyncio.Task[None]] = set()

    # -- handshake ---------------------------------------------------------------------

    async def connect(self, request: web.BaseRequest, api: Api) -> web.StreamResponse:
        """Answer an upgrade request; the connection lasts as long as this runs."""
        with self._parts.quiet.busy():
            opened = await self._open(request, api)
        if isinstance(opened, web.Response):
            return opened
        await opened.ended
        return _Upgraded()

    async def _open(self, request: web.BaseRequest, api: Api) -> Session | web.Response:
        handshake = _handshake(request)
        now = self._parts.agenda.clock.now()
        facts = ConnectionFacts(
            connection_id=gateway_id(),
            api=api,
            domain=self._parts.domain,
            connected_at=now,
            source_ip=handshake.source_ip,
            user_agent=handshake.header("User-Agent"),
        )
        answer = await self._admitted(facts, handshake, Stamp(gateway_id(), now))
        if isinstance(answer, Refused):
            return _refusal(answer, facts)
        if not 200 <= answer.status < 300:  # noqa: PLR2004  what HTTP calls a success
            return web.Response(status=answer.status, text=answer.body or "")
        return self._begin(request, facts, answer)

    async def _admitted(
        self, facts: ConnectionFacts, handshake: Handshake, stamp: Stamp
    ) -> ProxyResponse | Refused:
        route = facts.api.routes.get(CONNECT)
        if route is None:
            return ProxyResponse(200)
        if route.authorizer is not None:
            refused = await self._authorize(route.authorizer, facts, handshake, stamp)
            if refused is not None:
                return refused
        outcome = await self._call(route, connect_event(facts, handshake, stamp))
        if outcome.error is not None and outcome.error.type == INTEGRATION_TIMEOUT:
            return Refused(504, INTEGRATION_TIMEOUT)
        answer = None if outcome.error is not None else read_proxy_response(outcome.value)
        return answer or Refused(502, INTERNAL_ERROR)

    async def _authorize(
        self, authorizer: Authorizer, facts: ConnectionFacts, handshake: Handshake, stamp: Stamp
    ) -> Refused | None:
        if lacks_identity(authorizer.identity_sources, handshake, facts.api):
            return UNAUTHORIZED
        loop = asyncio.get_running_loop()
        started = loop.time()
        arn = method_arn(facts.api, self._parts.place)
        event = authorizer_event(facts, handshake, stamp, arn)
        outcome = await self._parts.invoker.invoke(authorizer.function, event)
        if outcome.error is not None:
            # The one message that means 401; any other failure is a configuration error.
            asked_for = outcome.error.message == "Unauthorized"
            return UNAUTHORIZED if asked_for else Refused(500, INTERNAL_ERROR)
        judged = judge(outcome.value, arn, int((loop.time() - started) * 1000))
        if isinstance(judged, Refused):
            return judged
        facts.authorizer = judged.context
        return None

    def _begin(
        self, request: web.BaseRequest, facts: ConnectionFacts, answer: ProxyResponse
    ) -> Session | web.Response:
        parts = self._parts
        transport = request.transport
        if not isinstance(transport, asyncio.Transport):
            # The client left while $connect ran: it was connected, so it is disconnected.
            self._spawn(self._disconnected(facts, 1006, "Connection closed abnormally"))
            return web.Response(status=499)
        listener = Listener(self._on_text, parts.quiet.enter, self._on_end)
        session = Session(facts, transport, listener, parts.agenda.clock.now())
        parts.connections.add(session)
        parts.metrics.connects += 1
        sub_protocol = answer.headers.get("sec-websocket-protocol")
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
        self._spawn(self._message(session, text, Stamp(gateway_id(), now)), session.handled)

    async def _message(self, session: Session, text: str, stamp: Stamp) -> None:
        facts = session.facts
        route = select(facts.api, text)
        if route is None:
            session.send_text(_error_frame(FORBIDDEN, facts, stamp))
            return
        event = message_event(facts, stamp, route.key, (gateway_id(), text))
        outcome = await self._call(route, event)
        answer = None if outcome.error is not None else read_proxy_response(outcome.value)
        if answer is None:
            message = _message_of(outcome.error)
            session.send_text(_error_frame(message, facts, stamp))
        elif route.answers_sender and answer.body is not None:
            session.send_text(answer.body.encode())

    async def _call(self, route: Route, event: dict[str, Any]) -> Outcome:
        invocation = asyncio.ensure_future(self._parts.invoker.invoke(route.function, event))
        limit = route.timeout_ms / 1000
        done, _ = await asyncio.wait([invocation], timeout=limit)
        if done:
            return invocation.result()
        # The function goes on, as on AWS; only nobody waits for it any more.
        return Outcome(error=FunctionError(INTEGRATION_TIMEOUT, INTEGRATION_TIMEOUT))

    # -- the end -----------------------------------------------------------------------

    def _on_end(self, session: Session, code: int, reason: str) -> None:
        self._parts.connections.forget(session)
        self._spawn(self._disconnected(session.facts, code, reason))
        if session.is_closing:
            self._parts.quiet.leave()

    async def _disconnected(self, facts: ConnectionFacts, code: int, reason: str) -> None:
        self._parts.metrics.disconnects += 1
        route = facts.api.routes.get(DISCONNECT)
        if route is not None:
            stamp = Stamp(gateway_id(), self._parts.agenda.clock.now())
            await self._call(route, disconnect_event(facts, stamp, code, reason))

    def drop(self, session: Session) -> None:
        """Let a connection vanish: no `$disconnect`, 410 from now on."""
        self._parts.connections.forget(session)
        session.vanish()

    async def close_all(self, limit_s: float) -> None:
        """Every client is told that the service restarts, and its `$disconnect` has run."""
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

    def _end(self, session: Session) -> None:
        self._parts.connections.forget(session)
        session.close(*GOING_AWAY)

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


def _handshake(request: web.BaseRequest) -> Handshake:
    local = request.transport.get_extra_info("sockname") if request.transport else None
    return Handshake(
        headers=[(name.decode(), value.decode("latin-1")) for name, value in request.raw_headers],
        query=list(request.query.items()),
        source_ip=request.remote or "",
        port=local[1] if local else 0,
        trace_id=trace_id(),
        scheme=request.scheme,
    )


def _refusal(refused: Refused, facts: ConnectionFacts) -> web.Response:
    told = {
        "message": refused.message,
        "connectionId": facts.connection_id,
        "requestId": gateway_id(),
    }
    return web.json_response(told, status=refused.status)


def _message_of(error: FunctionError | None) -> str:
    timed_out = error is not None and error.type == INTEGRATION_TIMEOUT
    return INTEGRATION_TIMEOUT if timed_out else INTERNAL_ERROR


def _error_frame(message: str, facts: ConnectionFacts, stamp: Stamp) -> bytes:
    told = {
        "message": message,
        "connectionId": facts.connection_id,
        "requestId": stamp.request_id,
    }
    return json.dumps(told, separators=(",", ":")).encode()
