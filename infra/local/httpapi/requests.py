"""An HTTP request as API Gateway takes it: its target decoded, its headers in one case.

Facts H.path.*: HTTP APIs decode the path before anything else, and decode it again for the
function; a question mark that appears in between ends the path.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, quote, unquote

from aiohttp import web

from infra.local.apigateway.forwarding import Pairs, Peer
from infra.local.ids import gateway_id, trace_id

BROKEN_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
PRINTABLE: Final = "".join(map(chr, range(0x21, 0x7F)))
MOST_BODY_BYTES: Final = 10 * 1024 * 1024
MOST_HEAD_BYTES: Final = 10_240
CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Target:
    """What a request asks for.

    `first`, the first part of the path, and `query` as they were sent; `path` decoded, None if it
    cannot be.
    """

    first: str
    path: str | None
    query: str


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `path` decoded, `query` as it was sent, `fields` the headers as they came."""

    method: str
    path: str
    query: str
    protocol: str
    fields: Pairs
    peer: Peer
    request_id: str
    at: int
    body: bytes = b""

    @property
    def headers(self) -> dict[str, str]:
        """Header values by name in lower case, several of one name joined."""
        headers: dict[str, str] = {}
        for name, value in self.fields:
            lower = name.lower()
            headers[lower] = f"{headers[lower]},{value}" if lower in headers else value
        return headers

    @property
    def parameters(self) -> dict[str, str]:
        """The decoded parameters of the query, several of one name joined."""
        parameters: dict[str, str] = {}
        for name, value in parse_qsl(self.query, keep_blank_values=True):
            parameters[name] = f"{parameters[name]},{value}" if name in parameters else value
        return parameters


def read_target(request: web.BaseRequest) -> Target:
    """Return what a request asks for."""
    sent = request.raw_path
    if not sent.startswith("/"):
        sent = request.rel_url.raw_path_qs
    escaped = quote(sent.encode("utf-8", "surrogateescape"), safe=PRINTABLE)
    path, _, query = escaped.partition("?")
    return Target(path.removeprefix("/").partition("/")[0], decode_path(path), query)


def read_request(request: web.BaseRequest, target: Target, now: int) -> Request:
    """Return a request whose path could be decoded; its body is read later."""
    local = request.transport.get_extra_info("sockname") if request.transport else None
    return Request(
        method=request.method,
        path=target.path or "/",
        query=target.query,
        protocol=f"HTTP/{request.version.major}.{request.version.minor}",
        fields=[(name.decode(), value.decode("latin-1")) for name, value in request.raw_headers],
        peer=Peer(
            source_ip=request.remote or "",
            port=local[1] if local else 0,
            scheme=request.scheme,
            trace_id=trace_id(now),
        ),
        request_id=gateway_id(),
        at=now,
    )


def decode_path(path: str) -> str | None:
    """Return a path as functions see it; None when it holds a `%` that escapes nothing."""
    once = _decoded(path)
    return None if once is None else _decoded(once.partition("?")[0])


def head_bytes(request: web.BaseRequest) -> int:
    """Return how much the request line and the values of the headers take."""
    line = len(request.method) + len(request.raw_path) + len(" HTTP/1.1 ")
    return line + sum(len(value) for _, value in request.raw_headers)


async def read_body(request: web.BaseRequest) -> bytes | None:
    """Return the body; None when it is larger than API Gateway takes."""
    if (request.content_length or 0) > MOST_BODY_BYTES:
        return None
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(CONTINUE)
        request.writer.output_size = 0
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > MOST_BODY_BYTES:
            return None
    return bytes(body)


def _decoded(text: str) -> str | None:
    return None if BROKEN_ESCAPE.search(text) else unquote(text)
