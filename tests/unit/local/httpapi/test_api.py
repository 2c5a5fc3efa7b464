"""The order of things at an HTTP API, with a function that is a fake."""

from dataclasses import dataclass, field
from unittest.mock import Mock

import pytest
from aiohttp import StreamReader
from aiohttp.test_utils import make_mocked_request

from infra.local.apigateway.throttles import AccountLimits, Rate, RouteRates, Throttles
from infra.local.cloudformation.intrinsics import Place
from infra.local.httpapi.api import HttpApis, HttpParts
from infra.local.httpapi.routes import Authorizer, HttpApi, Route, Stage
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function
from infra.local.lambdas.invocation import Outcome
from infra.local.timing.quiet import Quiet
from tests.unit.local.httpapi.test_door import FakeInvoker, FrozenClock
from tests.unit.local.httpapi.test_events import FUNCTION

ASKED = Authorizer("A", FUNCTION, has_simple_responses=True)


@dataclass
class WatchedInvoker(FakeInvoker):
    """Remembers how much was in flight when it was called."""

    quiet: Quiet = field(default_factory=Quiet)
    in_flight: list[int] = field(default_factory=list)

    async def invoke(
        self, function: Function, event: Json, request_id: str | None = None
    ) -> Outcome:
        self.in_flight.append(self.quiet.count)
        return await super().invoke(function, event, request_id)


def served(invoker: WatchedInvoker, *stages: Stage) -> HttpApis:
    throttles = Throttles(AccountLimits(), lambda: 0.0)
    clock = FrozenClock(1783711145766)
    parts = HttpParts(invoker, clock, invoker.quiet, throttles, Place(), "localhost:1")
    api = HttpApi("a", (Route("GET /a", FUNCTION, authorizer=ASKED),), stages)
    return HttpApis((api,) if stages else (), parts)


def request(path: str) -> object:
    content = StreamReader(Mock(_reading_paused=False), 2**16)
    content.feed_eof()
    return make_mocked_request("GET", path, payload=content)


async def statuses(apis: HttpApis, *paths: str) -> list[int | None]:
    answers = [await apis.answer(request(path)) for path in paths]  # type: ignore[arg-type]
    return [None if answer is None else answer.status for answer in answers]


async def test_a_request_is_in_flight_until_it_is_answered() -> None:
    invoker = WatchedInvoker()
    assert await statuses(served(invoker, Stage("$default")), "/a") == [200]
    assert invoker.in_flight == [1, 1]
    assert invoker.quiet.count == 0


@pytest.mark.fact("H.limit.rate")
async def test_a_throttled_request_asks_no_authorizer() -> None:
    invoker = WatchedInvoker()
    stage = Stage("$default", rates=RouteRates(Rate(1, 1)))
    assert await statuses(served(invoker, stage), "/a", "/a") == [200, 429]
    assert len(invoker.events) == 2


@pytest.mark.fact("H.stage.named-first", "H.route.not-found")
async def test_what_no_stage_takes_is_left_to_others() -> None:
    named = served(WatchedInvoker(), Stage("v1"))
    assert await statuses(named, "/v1/a", "/v1/b", "/a", "/v1x/a", "/%") == [
        200,
        404,
        None,
        None,
        None,
    ]
    at_the_root = served(WatchedInvoker(), Stage("$default"))
    assert await statuses(at_the_root, "/a", "/b", "/$default/a") == [200, None, None]
    nowhere = served(WatchedInvoker())
    assert await statuses(nowhere, "/a", "/%") == [None, None]


@pytest.mark.fact("H.route.not-found")
def test_only_an_api_at_the_root_has_a_word_for_what_is_nowhere() -> None:
    answer = served(WatchedInvoker(), Stage("$default")).nothing_found()
    assert answer is not None
    assert (answer.status, answer.body) == (404, b'{"message":"Not Found"}')
    assert served(WatchedInvoker(), Stage("v1")).nothing_found() is None
