"""The events that a WebSocket API sends to functions: every key present or absent as on AWS.

Pure: facts about a connection and a stamp in, a dict in the shape of Lambda proxy events out
(facts A1 and A3). Handlers crash on absent keys, so absence is part of the shape.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from infra.local.apigateway.forwarding import Pairs, Peer, end_to_end, forwarded
from infra.local.apigateway.stamps import request_time
from infra.local.websocket.routes import CONNECT, DISCONNECT, Api


@dataclass(frozen=True, slots=True)
class Handshake:
    """What the client's upgrade request said; header names keep their letter case."""

    headers: Pairs
    query: Pairs
    source_ip: str
    port: int
    trace_id: str
    scheme: str = "http"

    def header(self, name: str) -> str | None:
        """Return the last value of a header, whatever its letter case."""
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return values[-1] if values else None

    @property
    def peer(self) -> Peer:
        """Who sent it."""
        return Peer(self.source_ip, self.port, self.scheme, self.trace_id)


@dataclass(slots=True)
class ConnectionFacts:
    """What every event of one connection repeats; `authorizer` is set once, at `$connect`."""

    connection_id: str
    api: Api
    domain: str
    connected_at: int
    source_ip: str
    user_agent: str | None
    authorizer: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Stamp:
    """The id of one request and the instant API Gateway received it (epoch milliseconds)."""

    request_id: str
    at: int


def connect_event(facts: ConnectionFacts, handshake: Handshake, stamp: Stamp) -> dict[str, Any]:
    """Return the event of `$connect`."""
    headers = [*end_to_end(handshake.headers), *forwarded(handshake.peer)]
    event = {
        **_headers(headers),
        "requestContext": _context(facts, stamp, CONNECT, "CONNECT"),
        "isBase64Encoded": False,
        **_stage_variables(facts.api),
    }
    if handshake.query:
        event["queryStringParameters"] = dict(handshake.query)
        event["multiValueQueryStringParameters"] = _multi(handshake.query)
    return event


def message_event(
    facts: ConnectionFacts, stamp: Stamp, route_key: str, message: tuple[str, str]
) -> dict[str, Any]:
    """Return the event of one message, given as (message id, text)."""
    message_id, body = message
    context = _context(facts, stamp, route_key, "MESSAGE")
    context["messageId"] = message_id
    return {
        "requestContext": context,
        "body": body,
        "isBase64Encoded": False,
        **_stage_variables(facts.api),
    }


def disconnect_event(
    facts: ConnectionFacts, stamp: Stamp, code: int, reason: str
) -> dict[str, Any]:
    """Return the event of `$disconnect`, sent when the connection is closed already."""
    context = _context(facts, stamp, DISCONNECT, "DISCONNECT")
    context["disconnectStatusCode"] = code
    context["disconnectReason"] = reason
    headers = [
        ("Host", facts.domain),
        ("x-api-key", ""),
        ("X-Forwarded-For", ""),
        ("x-restapi", ""),
    ]
    return {
        **_headers(headers),
        "requestContext": context,
        "isBase64Encoded": False,
        **_stage_variables(facts.api),
    }


def authorizer_event(
    facts: ConnectionFacts, handshake: Handshake, stamp: Stamp, method_arn: str
) -> dict[str, Any]:
    """Return the event of a REQUEST authorizer; unlike `$connect` it has the upgrade headers."""
    upgrade = [("Connection", "upgrade"), ("content-length", "0"), ("Upgrade", "websocket")]
    headers = [*upgrade, *end_to_end(handshake.headers), *forwarded(handshake.peer)]
    return {
        "type": "REQUEST",
        "methodArn": method_arn,
        **_headers(headers),
        "queryStringParameters": dict(handshake.query),
        "multiValueQueryStringParameters": _multi(handshake.query),
        "stageVariables": dict(facts.api.stage_variables),
        "requestContext": _context(facts, stamp, CONNECT, "CONNECT"),
    }


def _context(
    facts: ConnectionFacts, stamp: Stamp, route_key: str, event_type: str
) -> dict[str, Any]:
    context = {
        "routeKey": route_key,
        "eventType": event_type,
        "extendedRequestId": stamp.request_id,
        "requestTime": request_time(stamp.at),
        "messageDirection": "IN",
        "stage": facts.api.stage,
        "connectedAt": facts.connected_at,
        "requestTimeEpoch": stamp.at,
        "identity": _identity(facts),
        "requestId": stamp.request_id,
        "domainName": facts.domain,
        "connectionId": facts.connection_id,
        "apiId": facts.api.id,
    }
    if facts.authorizer is not None:
        context["authorizer"] = dict(facts.authorizer)
    return context


def _identity(facts: ConnectionFacts) -> dict[str, str]:
    identity = {"sourceIp": facts.source_ip}
    if facts.user_agent is not None:
        identity["userAgent"] = facts.user_agent
    return identity


def _stage_variables(api: Api) -> dict[str, Any]:
    return {"stageVariables": dict(api.stage_variables)} if api.stage_variables else {}


def _headers(headers: Iterable[tuple[str, str]]) -> dict[str, Any]:
    ordered = sorted(headers, key=lambda pair: pair[0].lower())
    return {"headers": dict(ordered), "multiValueHeaders": _multi(ordered)}


def _multi(pairs: Pairs) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values
