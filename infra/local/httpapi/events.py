"""The events that an HTTP API sends to functions: payload format 2.0, every key as on AWS.

Pure (facts H.event.* and H.authorizer.event*). What is not there is absent, never null: a request
without a query, cookies, a body, path or stage variables has no such key.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.apigateway.forwarding import end_to_end, forwarded
from infra.local.apigateway.stamps import request_time
from infra.local.cloudformation.intrinsics import Place
from infra.local.httpapi.requests import Request
from infra.local.httpapi.routes import HttpApi, Match, Stage

VERSION: Final = "2.0"
TEXT_TYPES: Final = frozenset({"application/json", "application/javascript", "application/xml"})


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request that has found its route, and where it did."""

    request: Request
    api: HttpApi
    stage: Stage
    match: Match
    place: Place
    domain: str


def proxy_event(arrival: Arrival, authorized: Mapping[str, Any]) -> dict[str, Any]:
    """Return the event of an integration; `authorized` is empty where nobody was asked."""
    event = {"version": VERSION, **_asked(arrival)}
    if authorized:
        event["requestContext"]["authorizer"] = dict(authorized)
    return {**event, **_body(arrival.request)}


def authorizer_event(arrival: Arrival, identity: list[str] | None) -> dict[str, Any]:
    """Return the event of a REQUEST authorizer, which is asked without the body."""
    return {
        "version": VERSION,
        "type": "REQUEST",
        "routeArn": route_arn(arrival),
        "identitySource": identity,
        **_asked(arrival),
    }


def request_context(arrival: Arrival) -> dict[str, Any]:
    """Return the `requestContext` before an authorizer was asked."""
    request = arrival.request
    return {
        "accountId": arrival.place.account,
        "apiId": arrival.api.id,
        "domainName": arrival.domain,
        "domainPrefix": arrival.domain.partition(":")[0].partition(".")[0],
        "http": {
            "method": request.method,
            "path": request.path,
            "protocol": request.protocol,
            "sourceIp": request.peer.source_ip,
            "userAgent": request.headers.get("user-agent", ""),
        },
        "requestId": request.request_id,
        "routeKey": arrival.match.route.key,
        "stage": arrival.stage.name,
        "time": request_time(request.at),
        "timeEpoch": request.at,
    }


def route_arn(arrival: Arrival) -> str:
    """Return the ARN that a policy must allow."""
    place, stage, request = arrival.place, arrival.stage, arrival.request
    return (
        f"arn:{place.partition}:execute-api:{place.region}:{place.account}:{arrival.api.id}"
        f"/{stage.name}/{request.method}{stage.path_of(request.path) or '/'}"
    )


def seen_headers(request: Request) -> dict[str, str]:
    """Return the headers that functions see, the gateway's own among them."""
    sent = [(name.lower(), value) for name, value in end_to_end(request.fields)]
    own = [(name.lower(), value) for name, value in forwarded(request.peer)]
    own_names = {name for name, _ in own} - {"x-forwarded-for"}
    kept = [(name, value) for name, value in sent if name not in {*own_names, "cookie"}]
    length = ("content-length", str(len(request.body)))
    headers: dict[str, str] = {}
    for name, value in sorted([*kept, *own, length], key=_by_name):
        glue = ", " if name == "x-forwarded-for" else ","
        headers[name] = f"{headers[name]}{glue}{value}" if name in headers else value
    return headers


def cookies(request: Request) -> list[str]:
    """Return the cookies one by one, like `name=value`."""
    sent = [value for name, value in request.fields if name.lower() == "cookie"]
    return [one.strip() for value in sent for one in value.split(";") if one.strip()]


def is_text(content_type: str) -> bool:
    """Say whether a body of this type is handed over as text."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind.startswith("text/") or kind in TEXT_TYPES


def _asked(arrival: Arrival) -> dict[str, Any]:
    request = arrival.request
    optional = {
        "cookies": cookies(request),
        "queryStringParameters": request.parameters,
        "pathParameters": dict(arrival.match.variables),
        "stageVariables": dict(arrival.stage.variables),
    }
    return {
        "routeKey": arrival.match.route.key,
        "rawPath": request.path,
        "rawQueryString": request.query,
        "headers": seen_headers(request),
        "requestContext": request_context(arrival),
        **{name: value for name, value in optional.items() if value},
    }


def _body(request: Request) -> dict[str, Any]:
    if not request.body:
        return {"isBase64Encoded": False}
    if is_text(request.headers.get("content-type", "")):
        return {"body": request.body.decode(errors="replace"), "isBase64Encoded": False}
    return {"body": base64.b64encode(request.body).decode(), "isBase64Encoded": True}


def _by_name(field: tuple[str, str]) -> str:
    return field[0]
