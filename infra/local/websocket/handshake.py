"""The door: what an upgrade request must pass before its connection exists (fact A3).

Knows the order (throttles, identity sources, authorizer, API key, required parameters, `$connect`)
and the status that the client gets for each refusal. It opens no socket: whoever is admitted is
handed back.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from infra.local.apigateway.throttles import Throttles
from infra.local.cloudformation.intrinsics import Place
from infra.local.ids import gateway_id, trace_id
from infra.local.lambdas.invocation import Invoker
from infra.local.timing.clock import Clock
from infra.local.websocket import complaints
from infra.local.websocket.authorizer import (
    FORBIDDEN,
    UNAUTHORIZED,
    Admitted,
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
from infra.local.websocket.keys import HEADER, IN_HEADER
from infra.local.websocket.proxy import ProxyResponse, read_proxy_response
from infra.local.websocket.routes import CONNECT, Api, Authorizer, Route

SUCCESS: Final = range(200, 300)
TOO_MANY: Final = Refused(429, "Too Many Requests")
ERROR_TYPES: Final = {
    400: "BadRequestException",
    401: "UnauthorizedException",
    403: "ForbiddenException",
    429: "TooManyRequestsException",
}
SERVER_ERROR_TYPE: Final = "InternalServerErrorException"


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
    throttles: Throttles

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
        stamp = Stamp(gateway_id(), now)
        answer = await self._ask(facts, handshake, stamp) if self._has_room(api) else TOO_MANY
        if isinstance(answer, Refused):
            return _refusal(answer, facts, stamp)
        if answer.status not in SUCCESS:
            return web.Response(status=answer.status, text=answer.body or "")
        return Admission(facts, answer)

    def _has_room(self, api: Api) -> bool:
        place = (api.id, api.stage, CONNECT)
        return self.throttles.takes_connection() and self.throttles.takes_message(
            place, api.rates.of(CONNECT)
        )

    async def _ask(
        self, facts: ConnectionFacts, handshake: Handshake, stamp: Stamp
    ) -> ProxyResponse | Refused:
        route = facts.api.routes.get(CONNECT)
        if route is None:
            return ProxyResponse(200)
        judged = Admitted({})
        if route.authorizer is not None:
            result = await self._authorize(route.authorizer, facts, handshake, stamp)
            if isinstance(result, Refused):
                return result
            judged, facts.authorizer = result, result.context
        if refused := lacking(route, facts.api, handshake, judged):
            return refused
        outcome = await call(self.invoker, route, connect_event(facts, handshake, stamp))
        answer = None if outcome.error is not None else read_proxy_response(outcome.value)
        if answer is not None:
            return answer
        complaints.of_answer(route, outcome)
        if outcome.error is not None and outcome.error.type == INTEGRATION_TIMEOUT:
            return Refused(504, INTEGRATION_TIMEOUT)
        return Refused(502, INTERNAL_ERROR)

    async def _authorize(
        self, authorizer: Authorizer, facts: ConnectionFacts, handshake: Handshake, stamp: Stamp
    ) -> Admitted | Refused:
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
            complaints.of_authorizer(authorizer.function, judged)
        return judged


def lacking(route: Route, api: Api, handshake: Handshake, judged: Admitted) -> Refused | None:
    """Refuse a client without the API key or the parameters that the route requires."""
    is_in_header = api.key_source == IN_HEADER
    key = handshake.header(HEADER) if is_in_header else judged.usage_key
    if route.needs_key and key not in api.keys:
        return FORBIDDEN
    missing = [one for one in route.required if lacks_identity([one], handshake, api)]
    if missing:
        names = ", ".join(one.rpartition(".")[2] for one in missing)
        return Refused(400, f"Missing required request parameters: [{names}]")
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


def _refusal(refused: Refused, facts: ConnectionFacts, stamp: Stamp) -> web.Response:
    told = {
        "message": refused.message,
        "connectionId": facts.connection_id,
        "requestId": stamp.request_id,
    }
    kind = ERROR_TYPES.get(refused.status, SERVER_ERROR_TYPE)
    return web.json_response(told, status=refused.status, headers={"x-amzn-ErrorType": kind})
