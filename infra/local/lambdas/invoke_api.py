"""The Lambda endpoint: what the AWS SDK asks for when one function invokes another.

Knows the Invoke request, its limits, answers and errors. What would change what a function or its
caller sees and is not served (client contexts, the end of the log) is refused, never left out.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol, Self

from aiohttp import web

from infra.local.cloudformation.intrinsics import Place
from infra.local.cloudformation.template import Template
from infra.local.ids import uuid_text
from infra.local.json_values import Json
from infra.local.lambdas.error_payload import error_payload
from infra.local.lambdas.functions import Function, Functions
from infra.local.lambdas.invocation import Invoker
from infra.local.lambdas.qualifiers import LATEST, qualified_arns
from infra.local.sources.deliveries import Tools
from infra.local.timing.quiet import Quiet

# `my-function`, `my-function:live`, `123456789012:function:my-function`, or an ARN.
REFERENCE: Final = re.compile(
    r"(?:arn:aws[a-z-]*:lambda:[a-z0-9-]+:)?(?:\d{12}:)?(?:function:)?([\w-]+)(?::([\w$-]+))?"
)
MOST_WAITED_FOR: Final = 6 * 1024 * 1024
MOST_UNAWAITED: Final = 1024 * 1024
WAITED_FOR: Final = "RequestResponse"
UNAWAITED: Final = "Event"
TRIED: Final = "DryRun"
LIMITS: Final = {WAITED_FOR: MOST_WAITED_FOR, TRIED: MOST_WAITED_FOR, UNAWAITED: MOST_UNAWAITED}
NOT_SERVED: Final = {
    "X-Amz-Client-Context": "client contexts are not served here",
    "X-Amz-Durable-Execution-Name": "durable executions are not served here",
    "X-Amz-Tenant-Id": "tenants are not served here",
}
JSON: Final = "application/json"


class Invokes(Protocol):
    """Invokes functions for events that nobody waits for."""

    def send(self, function: Function, event: Json, qualifier: str) -> str:
        """Accept an event; return its request id."""


@dataclass(frozen=True, slots=True)
class LambdaError(Exception):
    """A request that cannot be served; `code` is what SDKs make an exception of."""

    status: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class LambdaEndpoint:
    """Answers Invoke for functions; `qualified` are the ARNs of versions and aliases."""

    functions: Functions
    qualified: frozenset[str]
    place: Place
    invoker: Invoker
    asynchronous: Invokes
    quiet: Quiet

    @classmethod
    def of(
        cls, template: Template, functions: Functions, asynchronous: Invokes, tools: Tools
    ) -> Self:
        """Return the endpoint of a template's functions."""
        qualified = qualified_arns(template)
        return cls(functions, qualified, template.place, tools.invoker, asynchronous, tools.quiet)

    async def answer(self, request: web.BaseRequest, path: str) -> web.Response:
        """Answer one request of an SDK; `path` is what follows `/_lambda/`."""
        try:
            match request.method, path.split("/"):
                case "POST", ["2015-03-31", "functions", reference, "invocations"]:
                    return await self._invoke(request, reference)
            raise _invalid(f"{request.method} {path} is not served here: Invoke is")
        except LambdaError as error:
            return _refusal(error)

    async def _invoke(self, request: web.BaseRequest, reference: str) -> web.Response:
        kind = request.headers.get("X-Amz-Invocation-Type", WAITED_FOR)
        if kind not in LIMITS:
            raise _invalid(f"InvocationType is one of {', '.join(LIMITS)}, not {kind}")
        _check_headers(request.headers)
        function, qualifier = self._named(reference, request.query.get("Qualifier"))
        event = _event(await _body(request, LIMITS[kind]))
        if kind == TRIED:
            return web.Response(status=204, headers={"x-amzn-RequestId": uuid_text()})
        if kind == UNAWAITED:
            request_id = self.asynchronous.send(function, event, qualifier)
            return web.Response(status=202, headers={"x-amzn-RequestId": request_id})
        return await self._wait_for(function, event)

    async def _wait_for(self, function: Function, event: Json) -> web.Response:
        request_id = uuid_text()
        with self.quiet.busy():
            outcome = await self.invoker.invoke(function, event, request_id)
        headers = {"x-amzn-RequestId": request_id, "X-Amz-Executed-Version": LATEST}
        if outcome.error is None:
            return web.Response(text=json.dumps(outcome.value), content_type=JSON, headers=headers)
        told = json.dumps(error_payload(outcome.error, request_id))
        headers["X-Amz-Function-Error"] = "Unhandled"
        return web.Response(text=told, content_type=JSON, headers=headers)

    def _named(self, reference: str, asked: str | None) -> tuple[Function, str]:
        match = REFERENCE.fullmatch(reference)
        if match is None:
            raise _invalid(f"{reference} is no name of a function")
        name, own = match.groups()
        if own is not None and asked is not None and own != asked:
            raise _invalid(f"the name says {own} and Qualifier says {asked}")
        qualifier = own or asked
        for function in self.functions:
            if function.name == name and self._exists(function, qualifier):
                return function, qualifier or LATEST
        place = self.place
        arn = f"arn:{place.partition}:lambda:{place.region}:{place.account}:function:{name}"
        wanted = arn if qualifier is None else f"{arn}:{qualifier}"
        raise LambdaError(404, "ResourceNotFoundException", f"Function not found: {wanted}")

    def _exists(self, function: Function, qualifier: str | None) -> bool:
        return qualifier in {None, LATEST} or f"{function.arn}:{qualifier}" in self.qualified


def _check_headers(headers: Mapping[str, str]) -> None:
    for name, problem in NOT_SERVED.items():
        if name in headers:
            raise _invalid(problem)
    if headers.get("X-Amz-Log-Type", "None") != "None":
        raise _invalid("the end of the log is not served here: it is on the console")


async def _body(request: web.BaseRequest, most: int) -> bytes:
    """Return the body, read by hand: aiohttp itself takes no more than one megabyte."""
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > most:
            raise LambdaError(
                413,
                "RequestEntityTooLargeException",
                f"Request must be smaller than {most} bytes for the InvokeFunction operation",
            )
    return bytes(body)


def _event(body: bytes) -> Json:
    if not body:
        return {}
    try:
        return json.loads(body)
    except ValueError as error:
        raise LambdaError(
            400,
            "InvalidRequestContentException",
            f"Could not parse request body into json: {error}",
        ) from None


def _invalid(problem: str) -> LambdaError:
    return LambdaError(400, "InvalidParameterValueException", problem)


def _refusal(error: LambdaError) -> web.Response:
    told = {"Type": "User", "message": error.message, "Message": error.message}
    return web.Response(
        status=error.status,
        text=json.dumps(told),
        content_type=JSON,
        headers={"x-amzn-ErrorType": error.code, "x-amzn-RequestId": uuid_text()},
    )
