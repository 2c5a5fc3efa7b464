"""The door: what an upgrade request must pass before its connection exists (fact A3).

Knows the order (identity sources, authorizer, `$connect`) and the status that the client gets for
each refusal. It opens no socket: whoever is admitted is handed back.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from infra.local.cloudformation.intrinsics import Place
from infra.local.ids import gateway_id, trace_id
from infra.local.lambdas.invocation import Invoker
from infra.local.timing.clock import Clock
from infra.local.websocket.authorizer import (
    UNAUTHORIZED,
    Refused,
    judge,
    lacks_identity,
    method_arn,
)
from infra.local.websocket.events import (
    ConnectionFacts,
    Handshake,
    Stamp,
    authorizer_event,
    connect_event,
)
from infra.local.websocket.integration import INTEGRATION_TIMEOUT, INTERNAL_ERROR, call
from infra.local.websocket.proxy import ProxyResponse, read_proxy_response
from infra.local.websocket.routes import CONNECT, Api, Authorizer

SUCCESS: Final = range(200, 300)


@dataclass(frozen=True, slots=True)
class Admission:
    """A connection that may begin, and what `$connect` answered."""

    facts: ConnectionFacts
    answer: ProxyResponse


@dataclass(frozen=True, slots=True)
class Door:
    """Decides who may connect."""

    invoker: Invoker
    clock: Clock
    place: Place
    domain: str

    async def admit(self, request: web.BaseRequest, api: Api) -> Admission | web.Response:
        """Return who may connect, or the answer that refuses the handshake."""
        now = self.clock.now()
        handshake = read_handshake(request, now)
        facts = ConnectionFacts(
            connection_id=gateway_id(),
            api=api,
            domain=self.domain,
            connected_at=now,
            source_ip=handshake.source_ip,
            user_agent=handshake.header("User-Agent"),
        )
        answer = await self._ask(facts, handshake, Stamp(gateway_id(), now))
        if isinstance(answer, Refused):
            return _refusal(answer, facts)
        if answer.status not in SUCCESS:
            return web.Response(status=answer.status, text=answer.body or "")
        return Admission(facts, answer)

    async def _ask(
        self, facts: ConnectionFacts, handshake: Handshake, stamp: Stamp
    ) -> ProxyResponse | Refused:
        route = facts.api.routes.get(CONNECT)
        if route is None:
            return ProxyResponse(200)
        if route.authorizer is not None:
            refused = await self._authorize(route.authorizer, facts, handshake, stamp)
            if refused is not None:
                return refused
        outcome = await call(self.invoker, route, connect_event(facts, handshake, stamp))
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
        arn = method_arn(facts.api, self.place)
        event = authorizer_event(facts, handshake, stamp, arn)
        outcome = await self.invoker.invoke(authorizer.function, event)
        if outcome.error is not None:
            # The one message that means 401; any other failure is a configuration error.
            asked_for = outcome.error.message == "Unauthorized"
            return UNAUTHORIZED if asked_for else Refused(500, INTERNAL_ERROR)
        judged = judge(outcome.value, arn, int((loop.time() - started) * 1000))
        if isinstance(judged, Refused):
            return judged
        facts.authorizer = judged.context
        return None


def read_handshake(request: web.BaseRequest, now: int) -> Handshake:
    """Return what an upgrade request says; header names keep their letter case."""
    local = request.transport.get_extra_info("sockname") if request.transport else None
    return Handshake(
        headers=[(name.decode(), value.decode("latin-1")) for name, value in request.raw_headers],
        query=list(request.query.items()),
        source_ip=request.remote or "",
        port=local[1] if local else 0,
        trace_id=trace_id(now),
        scheme=request.scheme,
    )


def _refusal(refused: Refused, facts: ConnectionFacts) -> web.Response:
    told = {
        "message": refused.message,
        "connectionId": facts.connection_id,
        "requestId": gateway_id(),
    }
    return web.json_response(told, status=refused.status)
