"""Judges what a Lambda authorizer of `$connect` needs and what it returned.

Pure (fact A3): identity sources, the policy against the method's ARN, the context made text.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.apigateway.policy import allows, read_statements
from infra.local.cloudformation.intrinsics import Place, text
from infra.local.json_values import Json
from infra.local.websocket.events import Handshake
from infra.local.websocket.routes import CONNECT, Api

MAXIMAL_RESULT_BYTES: Final = 8192


@dataclass(frozen=True, slots=True)
class Admitted:
    """The connection may be made; `context` is what every later event repeats.

    `usage_key` is the API key that the authorizer found for the client, if any.
    """

    context: Mapping[str, Any]
    usage_key: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """The handshake is answered with this status and message."""

    status: int
    message: str


UNAUTHORIZED: Final = Refused(401, "Unauthorized")
FORBIDDEN: Final = Refused(403, "Forbidden")
BROKEN: Final = Refused(500, "Internal server error")


def method_arn(api: Api, place: Place) -> str:
    """Return the ARN that the policy must allow."""
    return (
        f"arn:{place.partition}:execute-api:{place.region}:{place.account}"
        f":{api.id}/{api.stage}/{CONNECT}"
    )


def lacks_identity(sources: Iterable[str], handshake: Handshake, api: Api) -> bool:
    """Say whether one of the identity sources is missing: then no authorizer is asked (401)."""
    return any(not _source(source, handshake, api) for source in sources)


def judge(result: Json, arn: str, latency_ms: int) -> Admitted | Refused:
    """Return whether the authorizer's result lets the connection in."""
    if not isinstance(result, Mapping) or len(json.dumps(result)) > MAXIMAL_RESULT_BYTES:
        return BROKEN
    principal, context = result.get("principalId"), _context(result.get("context"))
    statements = read_statements(result.get("policyDocument"))
    if not isinstance(principal, str) or context is None or statements is None:
        return BROKEN
    if not allows(statements, arn):
        return FORBIDDEN
    told = {"principalId": principal, "integrationLatency": latency_ms, **context}
    return Admitted(told, result.get("usageIdentifierKey"))


def _source(source: str, handshake: Handshake, api: Api) -> str | None:
    _, _, rest = source.partition("route.request.")
    kind, _, name = rest.partition(".")
    if kind == "header":
        return handshake.header(name)
    if kind == "querystring":
        return dict(handshake.query).get(name)
    if source.startswith("stageVariables."):
        return api.stage_variables.get(source.removeprefix("stageVariables."))
    return source if source.startswith("context.") else None


def _context(context: Json) -> dict[str, str] | None:
    if context is None:
        return {}
    if not isinstance(context, Mapping):
        return None
    if not all(isinstance(value, str | int | float | bool) for value in context.values()):
        return None
    return {str(key): text(value) for key, value in context.items()}
