"""Serves the HTTP APIs of a template: stage, route, rate, authorizer, function, answer.

Knows the order of these and what is told of each failure (facts H.*). A request that no stage, or
no route of the stage at the root, takes is left to whoever serves files.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from aiohttp import web

from infra.local.apigateway.throttles import Throttles
from infra.local.apigateway.waiting import call_within
from infra.local.cloudformation.intrinsics import Place
from infra.local.httpapi import answers
from infra.local.httpapi.answers import Answer, read_answer
from infra.local.httpapi.cors import crossed, is_preflight, preflight
from infra.local.httpapi.door import Admitted, Door
from infra.local.httpapi.events import Arrival, proxy_event
from infra.local.httpapi.requests import (
    MOST_HEAD_BYTES,
    Request,
    head_bytes,
    read_body,
    read_request,
    read_target,
)
from infra.local.httpapi.responses import response
from infra.local.httpapi.routes import DEFAULT, HttpApi, Stage, select
from infra.local.ids import gateway_id
from infra.local.lambdas.invocation import Invoker
from infra.local.timing.clock import Clock
from infra.local.timing.quiet import Quiet

MOST_EVENT_BYTES: Final = 6 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HttpParts:
    """What HTTP APIs need of the system."""

    invoker: Invoker
    clock: Clock
    quiet: Quiet
    throttles: Throttles
    place: Place
    domain: str


class HttpApis:
    """Answers the requests of all HTTP APIs."""

    def __init__(self, apis: tuple[HttpApi, ...], around: HttpParts) -> None:
        self._stages = {stage.name: (api, stage) for api in apis for stage in api.stages}
        self._around = around
        self._door = Door(around.invoker, around.clock)

    async def answer(self, received: web.BaseRequest) -> web.Response | None:
        """Return the answer; None when nobody here takes the request."""
        if not self._stages:
            return None
        target = read_target(received)
        staged = self._staged(target.first)
        if staged is None:
            return None
        if target.path is None:
            return response(answers.BAD_REQUEST, gateway_id())
        if head_bytes(received) > MOST_HEAD_BYTES:
            return response(answers.HEAD_TOO_LARGE, gateway_id())
        request = read_request(received, target, self._around.clock.now())
        with self._around.quiet.busy():
            answered = await self._answered(received, request, *staged)
        return None if answered is None else response(answered, request.request_id)

    def nothing_found(self) -> web.Response | None:
        """Return what an API at the root says of a path that no file has either."""
        return response(answers.NOT_FOUND, gateway_id()) if DEFAULT in self._stages else None

    def _staged(self, first: str) -> tuple[HttpApi, Stage] | None:
        named = None if first == DEFAULT else self._stages.get(first)
        return named or self._stages.get(DEFAULT)

    async def _answered(
        self, received: web.BaseRequest, request: Request, api: HttpApi, stage: Stage
    ) -> Answer | None:
        match = select(api.routes, request.method, stage.path_of(request.path))
        if match is None:
            return _unmatched(request, api, stage)
        place = (api.id, stage.name, match.route.key)
        if not self._around.throttles.takes_message(place, stage.rates.of(match.route.key)):
            return answers.TOO_MANY
        body = await read_body(received)
        if body is None:
            return answers.TOO_LARGE
        whole = replace(request, body=body)
        around = self._around
        arrival = Arrival(whole, api, stage, match, around.place, around.domain)
        admitted = await self._door.admit(arrival)
        if isinstance(admitted, Answer):
            return admitted
        return _asked_beforehand(request, api) or await self._called(arrival, admitted)

    async def _called(self, arrival: Arrival, admitted: Admitted) -> Answer:
        route, cors = arrival.match.route, arrival.api.cors
        event = proxy_event(arrival, admitted.told)
        if _is_too_large(arrival, event):
            return answers.TOO_LARGE
        invoker = self._around.invoker
        outcome = await call_within(invoker, route.function, event, route.timeout_ms)
        if outcome is None:
            return answers.UNAVAILABLE
        if outcome.error is not None:
            return answers.BROKEN
        answer = read_answer(outcome.value)
        return answer if cors is None else crossed(cors, arrival.request.headers, answer)


def _unmatched(request: Request, api: HttpApi, stage: Stage) -> Answer | None:
    asked = _asked_beforehand(request, api)
    return asked or (None if stage.name == DEFAULT else answers.NOT_FOUND)


def _asked_beforehand(request: Request, api: HttpApi) -> Answer | None:
    if api.cors is None or not is_preflight(request.method, request.headers):
        return None
    return preflight(api.cors, request.headers)


def _is_too_large(arrival: Arrival, event: Mapping[str, Any]) -> bool:
    # Most events are small: they are not written twice to be measured.
    if len(arrival.request.body) < MOST_EVENT_BYTES // 8:
        return False
    return len(json.dumps(event, ensure_ascii=False).encode()) > MOST_EVENT_BYTES
