"""Calls the function behind a route, for as long as API Gateway waits, and words its failures."""

import json
from typing import Any, Final

from infra.local.apigateway.waiting import call_within
from infra.local.lambdas.invocation import FunctionError, Invoker, Outcome
from infra.local.websocket.events import ConnectionFacts, Stamp
from infra.local.websocket.routes import Route

INTEGRATION_TIMEOUT: Final = "Endpoint request timed out"
INTERNAL_ERROR: Final = "Internal server error"
FORBIDDEN: Final = "Forbidden"
TOO_MANY: Final = "Too Many Requests"
BAD_REQUEST: Final = "Bad request body"


async def call(invoker: Invoker, route: Route, event: dict[str, Any]) -> Outcome:
    """Return what came of the call; past the route's timeout, that nobody waits any more."""
    outcome = await call_within(invoker, route.function, event, route.timeout_ms)
    return outcome or Outcome(error=FunctionError(INTEGRATION_TIMEOUT, INTEGRATION_TIMEOUT))


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


def bad_request_frame(facts: ConnectionFacts, message_id: str) -> bytes:
    """Return the frame of a message that its route's model refused: it names the message."""
    told = {
        "message": BAD_REQUEST,
        "connectionId": facts.connection_id,
        "messageId": message_id,
    }
    return json.dumps(told, separators=(",", ":")).encode()
