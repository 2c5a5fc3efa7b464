"""Who is let through to a route: asks its Lambda authorizer, or what that said before.

Knows the order (identity sources, kept results, the function) and the answer to each refusal
(facts H.authorizer.*).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.apigateway.waiting import call_within
from infra.local.httpapi.answers import BROKEN, FORBIDDEN, UNAUTHORIZED, Answer
from infra.local.httpapi.authorizer import (
    MAXIMAL_WAIT_MS,
    Cache,
    Verdict,
    identity,
    read_verdict,
)
from infra.local.httpapi.events import Arrival, authorizer_event, request_context, route_arn
from infra.local.httpapi.routes import Authorizer
from infra.local.lambdas.invocation import Invoker
from infra.local.timing.clock import Clock

ASKS_FOR_401: Final = "Unauthorized"


@dataclass(frozen=True, slots=True)
class Admitted:
    """The route may be called; `told` is what its event says of the authorizer."""

    told: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Door:
    """Asks authorizers, and keeps what they say for as long as they are to be believed."""

    invoker: Invoker
    clock: Clock
    cache: Cache = field(default_factory=Cache)

    async def admit(self, arrival: Arrival) -> Admitted | Answer:
        """Return that the route may be called, or the answer that refuses it."""
        authorizer = arrival.match.route.authorizer
        if authorizer is None:
            return Admitted()
        given = identity(authorizer.identity_sources, arrival, request_context(arrival))
        if not all(given):
            return UNAUTHORIZED
        key = (arrival.api.id, arrival.stage.name, authorizer.name, *given)
        verdict = self.cache.get(key, self.clock.now())
        if verdict is None:
            asked = await self._ask(authorizer, authorizer_event(arrival, given or None))
            if isinstance(asked, Answer):
                return asked
            verdict = asked
            self._keep(authorizer, key, verdict)
        if not verdict.admits(route_arn(arrival)):
            return FORBIDDEN
        return Admitted({"lambda": verdict.context})

    async def _ask(self, authorizer: Authorizer, event: Mapping[str, Any]) -> Verdict | Answer:
        outcome = await call_within(self.invoker, authorizer.function, event, MAXIMAL_WAIT_MS)
        if outcome is None:
            return BROKEN
        if outcome.error is not None:
            return UNAUTHORIZED if outcome.error.message == ASKS_FOR_401 else BROKEN
        return read_verdict(outcome.value, authorizer) or BROKEN

    def _keep(self, authorizer: Authorizer, key: tuple[str, ...], verdict: Verdict) -> None:
        if authorizer.ttl_s:
            now = self.clock.now()
            self.cache.keep(key, verdict, now + authorizer.ttl_s * 1000, now)
