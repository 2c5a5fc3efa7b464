"""What API Gateway keeps to itself and a developer wants to know: why a client was refused.

Clients are told no details, here as on AWS; the terminal is.
"""

from collections.abc import Mapping
from typing import Final

from infra.local.json_values import Json
from infra.local.lambdas.functions import Function
from infra.local.lambdas.invocation import Outcome
from infra.local.logs import note
from infra.local.websocket.authorizer import FORBIDDEN, Refused
from infra.local.websocket.integration import INTEGRATION_TIMEOUT
from infra.local.websocket.proxy import KNOWN_KEYS, MOST_SENT_BYTES
from infra.local.websocket.routes import Route

WARNING: Final = "WARNING"
SHOWN_OF_A_MESSAGE: Final = 80


def of_answer(route: Route, outcome: Outcome) -> None:
    """Say why an answer is an error to API Gateway; what the function raised is told already."""
    if outcome.error is None:
        why = why_malformed(outcome.value)
        note(route.function.logical_id, f"{why}: an internal server error", WARNING)
    elif outcome.error.type == INTEGRATION_TIMEOUT:
        waited = f"{route.timeout_ms / 1000:g} s"
        note(route.function.logical_id, f"API Gateway waited {waited} and no longer", WARNING)


def of_authorizer(function: Function, refused: Refused) -> None:
    """Say what is wrong with what an authorizer returned."""
    why = "what it returned is no policy with a principalId"
    if refused == FORBIDDEN:
        why = "its policy does not allow this connection"
    note(function.logical_id, f"{why}: {refused.status}", WARNING)


def of_message(text: str) -> None:
    """Say that no route takes a message."""
    note(
        "local", f"no route takes {text[:SHOWN_OF_A_MESSAGE]!r}, and there is no $default", WARNING
    )


def why_malformed(value: Json) -> str:
    """Return why API Gateway does not understand what a function returned."""
    if value is None:
        return "it returned nothing, and a statusCode is wanted"
    if not isinstance(value, Mapping):
        return f"it returned a {type(value).__name__}, and an object with a statusCode is wanted"
    unknown = sorted(set(value) - KNOWN_KEYS)
    if unknown:
        return f"it returned a key {unknown[0]!r}, which API Gateway does not know"
    if "statusCode" not in value:
        return "it returned no statusCode"
    body = value.get("body")
    if not isinstance(body, str | None):
        return "the body it returned is no text"
    if body is not None and len(body.encode(errors="replace")) > MOST_SENT_BYTES:
        return "the body it returned is longer than a message may be"
    return "its statusCode or its headers are malformed"
