"""The open connections, and the `@connections` management API over them.

Knows fact A4: statuses, the `x-amzn-ErrorType` header that lets SDKs raise the right exception,
camelCase answers with ISO times. A connection exists here from the return of `$connect` on.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from aiohttp import web

from infra.local.apigateway.throttles import Throttles
from infra.local.ids import is_gateway_id
from infra.local.metrics import Metrics
from infra.local.timing.clock import Clock
from infra.local.websocket.posts import Posts
from infra.local.websocket.session import Session

MOST_POSTED_BYTES: Final = 128 * 1024
DELETED: Final = (1000, "Connection Closed Normally")
SERVICE: Final = "execute-api"
SIGNED: Final = re.compile(
    r"AWS4-HMAC-SHA256 Credential=[^/]+/\d{8}/[^/]+/(?P<service>[^/]+)/aws4_request\b"
)


@dataclass(slots=True)
class Connections:
    """The sessions of all stages by connection id."""

    clock: Clock
    metrics: Metrics
    throttles: Throttles
    posts: Posts
    sessions: dict[str, Session] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self.sessions.values()))

    def add(self, session: Session) -> None:
        """The connection exists."""
        self.sessions[session.id] = session

    def forget(self, session: Session) -> None:
        """The connection is gone: from now on 410."""
        self.sessions.pop(session.id, None)

    def unconfirmed(self) -> list[Session]:
        """Return the sessions whose clients may have unread messages."""
        return [session for session in self.sessions.values() if session.is_unconfirmed]

    def described(self) -> list[dict[str, Any]]:
        """Return what a test may want to know about each connection."""
        return [
            {
                "id": session.id,
                "stage": session.facts.api.stage,
                "connectedAt": session.facts.connected_at,
                "lastActiveAt": session.last_active_at,
                "principalId": (session.facts.authorizer or {}).get("principalId"),
                "isGhost": session.is_ghost,
            }
            for session in self
        ]

    async def manage(
        self, request: web.BaseRequest, stage: str, connection_id: str
    ) -> web.Response:
        """Answer POST, GET and DELETE of one connection."""
        if (unsigned := _unsigned(request.headers.get("Authorization"))) is not None:
            return unsigned
        if not self.throttles.takes_request():
            self.metrics.throttled += 1
            return refusal(429, "LimitExceededException", "Too Many Requests")
        if not is_gateway_id(connection_id):
            return refusal(400, "BadRequestException", f"Invalid connectionId: {connection_id}")
        session = self.sessions.get(connection_id)
        if session is None or session.facts.api.stage != stage:
            return refusal(410, "GoneException", "")
        match request.method:
            case "POST":
                return self._post(session, await request.read())
            case "GET":
                return web.Response(text=_about(session), content_type="application/json")
            case "DELETE":
                self.forget(session)
                self.posts.flush(session)
                session.close(*DELETED)
                return web.Response(status=204)
        return refusal(403, "ForbiddenException", "Forbidden")

    def _post(self, session: Session, data: bytes) -> web.Response:
        if len(data) > MOST_POSTED_BYTES:
            return refusal(413, "PayloadTooLargeException", "Message too long")
        if session.is_clogged:
            return refusal(429, "LimitExceededException", "Client side buffer is full")
        self.metrics.posts += 1
        session.last_active_at = self.clock.now()
        self.posts.send(session, data)
        return web.Response()


def _unsigned(authorization: str | None) -> web.Response | None:
    """Refuse what no SDK would send: requests are signed (version 4) for `execute-api`."""
    if authorization is None:
        return refusal(403, "MissingAuthenticationTokenException", "Missing Authentication Token")
    signed = SIGNED.match(authorization)
    if signed is None:
        return refusal(403, "IncompleteSignatureException", "The signature is incomplete")
    if signed.group("service") != SERVICE:
        told = f"Credential should be scoped to correct service: '{SERVICE}'."
        return refusal(403, "InvalidSignatureException", told)
    return None


def refusal(status: int, kind: str, message: str) -> web.Response:
    """Return an error as AWS services send it: the kind in a header, else SDKs cannot tell."""
    return web.Response(
        status=status,
        text=json.dumps({"message": message}) if message else "",
        content_type="application/json",
        headers={"x-amzn-ErrorType": kind},
    )


def _about(session: Session) -> str:
    identity = {"sourceIp": session.facts.source_ip}
    if session.facts.user_agent is not None:
        identity["userAgent"] = session.facts.user_agent
    about = {
        "connectedAt": _iso(session.facts.connected_at),
        "identity": identity,
        "lastActiveAt": _iso(session.last_active_at),
    }
    return json.dumps(about)


def _iso(instant: int) -> str:
    moment = datetime.fromtimestamp(instant / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
