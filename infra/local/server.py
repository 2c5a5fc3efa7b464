"""One port for everything: which part of the system answers which path.

`/<stage>` is the WebSocket, `/<stage>/@connections/<id>` its management API, `/_sqs` the queues,
`/_lambda` the functions, `/_dynamodb` the front of DynamoDB if it has one, `/_local` the control
API; everything else is for the HTTP APIs, and what they do not take for the static files. What on
AWS only signed requests reach is here for this machine only.
"""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from http import HTTPStatus
from pathlib import Path
from typing import Final

from aiohttp import web
from yarl import URL

from infra.local.control import Control
from infra.local.dynamodb.front import DynamoDbFront
from infra.local.httpapi.api import HttpApis
from infra.local.lambdas.invoke_api import LambdaEndpoint
from infra.local.mishaps import Mishaps
from infra.local.sources.sqs import SqsEndpoint
from infra.local.static import serve_file
from infra.local.websocket.connections import Connections, refusal
from infra.local.websocket.gateway import Gateway
from infra.local.websocket.routes import Api
from infra.local.websocket.upgrades import refused_upgrade

LONGEST_URL: Final = 4096
LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Unlucky:
    """The services whose calls may go wrong."""

    sqs: Mishaps
    posts: Mishaps
    dynamodb: DynamoDbFront | None


@dataclass(frozen=True, slots=True)
class Server:
    """Hands each request to the part that answers it."""

    apis: Mapping[str, Api]
    gateway: Gateway
    connections: Connections
    sqs: SqsEndpoint
    lambdas: LambdaEndpoint
    control: Control
    http: HttpApis
    static: Path | None
    unlucky: Unlucky

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        # Decoded, so `%40connections` and a `%3D` at the end of an id are what they mean.
        match request.path.rstrip("/").split("/"):
            case ["", "_local", "config"]:
                return web.json_response(self._config())
            case ["", "config.json"] if self._has_no_config():
                return web.json_response(self._config())
            case ["", "_local", *rest]:
                return _foreign(request) or await self.control.answer(request, "/".join(rest))
            case ["", "_sqs", *_]:
                return _foreign(request) or await self.unlucky.sqs.answer(request, self.sqs.answer)
            case ["", "_dynamodb", *_] if self.unlucky.dynamodb is not None:
                return _foreign(request) or await self.unlucky.dynamodb.answer(request)
            case ["", "_lambda", *rest]:
                return _foreign(request) or await self.lambdas.answer(request, "/".join(rest))
            case ["", stage] if stage in self.apis:
                return await self._upgrade(request, self.apis[stage])
            case ["", stage, "@connections", connection_id] if stage in self.apis:
                manage = partial(self.connections.manage, stage=stage, connection_id=connection_id)
                return _foreign(request) or await self.unlucky.posts.answer(request, manage)
        return await self.http.answer(request) or self._file(request)

    def _file(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.method not in {"GET", "HEAD"}:
            refused = web.Response(status=405, text="Method not allowed\n")
            return self.http.nothing_found() or refused
        file = serve_file(self.static, request.path)
        is_missing = file.status == HTTPStatus.NOT_FOUND
        return (self.http.nothing_found() if is_missing else None) or file

    async def _upgrade(self, request: web.BaseRequest, api: Api) -> web.StreamResponse:
        if len(request.raw_path) > LONGEST_URL:
            return web.Response(status=414, text="URI too long\n")
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return web.Response(status=426, text="This is a WebSocket\n")
        refused = refused_upgrade(request.method, request.headers)
        return refused or await self.gateway.connect(request, api)

    def _has_no_config(self) -> bool:
        return self.static is None or not (self.static / "config.json").exists()

    def _config(self) -> dict[str, str]:
        return {"websocket": f"/{next(iter(self.apis))}"} if self.apis else {}


def _foreign(request: web.BaseRequest) -> web.Response | None:
    """Refuse what does not come from this machine, or comes by a name that is not this one's."""
    if _is_local(request.remote or "", request.headers.get("Host", "")):
        return None
    return refusal(403, "ForbiddenException", "Forbidden")


@lru_cache(maxsize=64)
def _is_local(peer: str, host: str) -> bool:
    try:
        is_loopback = ipaddress.ip_address(peer).is_loopback
    except ValueError:
        return False
    return is_loopback and URL(f"http://{host}").host in LOOPBACK_NAMES
