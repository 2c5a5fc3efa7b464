"""Facts H.authorizer: when an authorizer is asked, and what comes of its answers."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from infra.local.httpapi.answers import BROKEN, UNAUTHORIZED
from infra.local.httpapi.authorizer import MAXIMAL_WAIT_MS
from infra.local.httpapi.door import Admitted, Door
from infra.local.httpapi.events import Arrival
from infra.local.httpapi.routes import Authorizer, Match, Route
from infra.local.lambdas.functions import Function
from infra.local.lambdas.invocation import FunctionError, Outcome
from tests.unit.local.httpapi.test_events import BARE, FUNCTION, arrival

YES = Outcome({"isAuthorized": True})


@dataclass
class FrozenClock:
    is_frozen = True
    instant: int = 0

    def now(self) -> int:
        return self.instant


@dataclass
class FakeInvoker:
    """Answers every event alike, and remembers them; never, when there is no answer."""

    outcome: Outcome | None = YES
    events: list[dict[str, Any]] = field(default_factory=list)

    async def invoke(
        self, function: Function, event: dict[str, Any], request_id: str | None = None
    ) -> Outcome:
        self.events.append(event)
        if self.outcome is None:
            await asyncio.get_running_loop().create_future()
            raise AssertionError
        return self.outcome

    async def warm(self, functions: list[Function]) -> None: ...

    async def reload(self) -> None: ...

    async def stop(self) -> None: ...


def asking(authorizer: Authorizer | None, key: str = "GET /a") -> Arrival:
    asked = arrival(replace(BARE, fields=[("Auth", "ann")]))
    return replace(asked, match=Match(Route(key, FUNCTION, authorizer=authorizer), {}))


async def test_a_route_without_an_authorizer_asks_nobody() -> None:
    invoker = FakeInvoker()
    assert await Door(invoker, FrozenClock()).admit(asking(None)) == Admitted({})
    assert invoker.events == []


@pytest.mark.fact("H.authorizer.no-sources", "H.authorizer.cache-off", "H.authorizer.no-context")
async def test_an_authorizer_without_sources_and_time_to_live_is_asked_each_time() -> None:
    invoker = FakeInvoker()
    at_door = Door(invoker, FrozenClock())
    authorizer = Authorizer("A", FUNCTION, has_simple_responses=True)
    for _ in range(2):
        assert await at_door.admit(asking(authorizer)) == Admitted({"lambda": None})
    assert [event["identitySource"] for event in invoker.events] == [None, None]


@pytest.mark.fact("H.authorizer.cache", "H.authorizer.cache-route")
@pytest.mark.parametrize(
    ("sources", "asked"),
    [(("$request.header.auth",), 1), (("$request.header.auth", "$context.routeKey"), 2)],
)
async def test_what_was_said_holds_for_the_same_sources(
    sources: tuple[str, ...], asked: int
) -> None:
    invoker = FakeInvoker()
    at_door = Door(invoker, FrozenClock())
    authorizer = Authorizer("A", FUNCTION, sources, has_simple_responses=True, ttl_s=60)
    for key in ("GET /a", "GET /b", "GET /a"):
        assert isinstance(await at_door.admit(asking(authorizer, key)), Admitted)
    assert len(invoker.events) == asked


@pytest.mark.fact("H.authorizer.timeout")
async def test_an_authorizer_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAXIMAL_WAIT_MS == 10_000
    monkeypatch.setattr("infra.local.httpapi.door.MAXIMAL_WAIT_MS", 5)
    authorizer = Authorizer("A", FUNCTION, has_simple_responses=True)
    assert await Door(FakeInvoker(None), FrozenClock()).admit(asking(authorizer)) == BROKEN


@pytest.mark.fact("H.authorizer.unauthorized", "H.authorizer.failure")
@pytest.mark.parametrize(
    ("message", "answer"), [("Unauthorized", UNAUTHORIZED), ("unauthorized", BROKEN), ("", BROKEN)]
)
async def test_an_authorizer_that_fails_lets_nobody_in(message: str, answer: object) -> None:
    invoker = FakeInvoker(Outcome(error=FunctionError("Exception", message)))
    authorizer = Authorizer("A", FUNCTION, has_simple_responses=True)
    assert await Door(invoker, FrozenClock()).admit(asking(authorizer)) == answer
