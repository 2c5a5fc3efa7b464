"""Calls the function behind a route, for as long as API Gateway waits, and words its failures."""

import asyncio
import json
from typing import Any, Final

from infra.local.lambdas.invocation import FunctionError, Invoker, Outcome
from infra.local.websocket.events import ConnectionFacts, Stamp
from infra.local.websocket.routes import Route

INTEGRATION_TIMEOUT: Final = "Endpoint request timed out"
INTERNAL_ERROR: Final = "Internal server error"
FORBIDDEN: Final = "Forbidden"


async def call(invoker: Invoker, route: Route, event: dict[str, Any]) -> Outcome:
    """Return what came of the call; past the route's timeout, that nobody waits any more."""
    invocation = asyncio.ensure_future(invoker.invoke(route.function, event))
    done, _ = await asyncio.wait([invocation], timeout=route.timeout_ms / 1000)
    if done:
        return invocation.result()
    # The function goes on, as on AWS.
    return Outcome(error=FunctionError(INTEGRATION_TIMEOUT, INTEGRATION_TIMEOUT))


def message_of(error: FunctionError | None) -> str:
    """Return what a client is told of a failure: never its details."""
    timed_out = error is not None and error.type == INTEGRATION_TIMEOUT
    return INTEGRATION_TIMEOUT if timed_out else INTERNAL_ERROR


def error_frame(message: str, facts: ConnectionFacts, stamp: Stamp) -> bytes:
    """Return the frame that a sender gets when his message came to nothing (fact A2)."""
    told = {
        "message": message,
        "connectionId": facts.connection_id,
        "requestId": stamp.request_id,
    }
    return json.dumps(told, separators=(",", ":")).encode()
