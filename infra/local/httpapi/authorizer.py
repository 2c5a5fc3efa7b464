"""Lambda authorizers of HTTP APIs: what they need, what they returned, for how long it holds.

Pure but for the cache (facts H.authorizer.*). What is kept is the authorizer's own result, so
that a policy is judged anew for each route.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.apigateway.policy import Statements, allows, read_statements
from infra.local.httpapi.events import Arrival
from infra.local.httpapi.routes import Authorizer
from infra.local.json_values import Json

MAXIMAL_WAIT_MS: Final = 10_000
MAXIMAL_TTL_S: Final = 3600
HEADER: Final = "$request.header."
QUERY: Final = "$request.querystring."
STAGE_VARIABLE: Final = "$stageVariables."
CONTEXT: Final = "$context."
CONTEXT_VARIABLES: Final = frozenset(
    {
        "accountId",
        "apiId",
        "domainName",
        "domainPrefix",
        "httpMethod",
        "identity.sourceIp",
        "identity.userAgent",
        "path",
        "protocol",
        "requestId",
        "requestTime",
        "requestTimeEpoch",
        "routeKey",
        "stage",
    }
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an authorizer said: yes or no to everything, or a policy; and its context."""

    says: bool | Statements
    context: Mapping[str, Any] | None

    def admits(self, arn: str) -> bool:
        """Say whether the route with this ARN may be called."""
        return self.says if isinstance(self.says, bool) else allows(self.says, arn)


def is_source(source: str) -> bool:
    """Say whether an identity source can be read here."""
    if source.startswith(CONTEXT):
        return source.removeprefix(CONTEXT) in CONTEXT_VARIABLES
    prefixes = (HEADER, QUERY, STAGE_VARIABLE)
    return source.startswith(prefixes) and source not in prefixes


def identity(sources: tuple[str, ...], arrival: Arrival, context: Mapping[str, Any]) -> list[str]:
    """Return the values of the identity sources; empty texts for those that are missing."""
    return [_value(source, arrival, context) for source in sources]


def read_verdict(result: Json, authorizer: Authorizer) -> Verdict | None:
    """Return what an authorizer's result says; None when it is malformed."""
    if not isinstance(result, Mapping):
        return None
    context = result.get("context")
    if context is not None and not isinstance(context, Mapping):
        return None
    says = _simple(result) if authorizer.has_simple_responses else _policy(result)
    return None if says is None else Verdict(says, context)


@dataclass(slots=True)
class Cache:
    """Verdicts by stage, authorizer and identity, each until an instant (epoch milliseconds)."""

    _kept: dict[tuple[str, ...], tuple[int, Verdict]] = field(default_factory=dict)

    def get(self, key: tuple[str, ...], now: int) -> Verdict | None:
        """Return the verdict that still holds."""
        until, verdict = self._kept.get(key, (now, None))
        return verdict if now < until else None

    def keep(self, key: tuple[str, ...], verdict: Verdict, until: int, now: int) -> None:
        """Keep a verdict, and forget those that hold no more."""
        self._kept = {one: kept for one, kept in self._kept.items() if now < kept[0]}
        self._kept[key] = (until, verdict)


def _simple(result: Mapping[str, Any]) -> bool | None:
    says = result.get("isAuthorized")
    return says if isinstance(says, bool) else None


def _policy(result: Mapping[str, Any]) -> Statements | None:
    if not isinstance(result.get("principalId"), str):
        return None
    return read_statements(result.get("policyDocument"))


def _value(source: str, arrival: Arrival, context: Mapping[str, Any]) -> str:
    request = arrival.request
    if source.startswith(HEADER):
        return request.headers.get(source.removeprefix(HEADER).lower(), "")
    if source.startswith(QUERY):
        return request.parameters.get(source.removeprefix(QUERY), "")
    if source.startswith(STAGE_VARIABLE):
        return arrival.stage.variables.get(source.removeprefix(STAGE_VARIABLE), "")
    return _of_context(source.removeprefix(CONTEXT), context)


def _of_context(name: str, context: Mapping[str, Any]) -> str:
    http = context["http"]
    elsewhere = {
        "httpMethod": http["method"],
        "identity.sourceIp": http["sourceIp"],
        "identity.userAgent": http["userAgent"],
        "path": http["path"],
        "protocol": http["protocol"],
        "requestTime": context["time"],
        "requestTimeEpoch": context["timeEpoch"],
    }
    return str(elsewhere.get(name, context.get(name, "")))
