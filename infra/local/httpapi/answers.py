"""What a function behind an HTTP API may return, and what the client gets for it.

Pure (facts H.response.*): an object with a `statusCode` is an answer and must be well-formed,
anything else is the body of a 200.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.apigateway.statuses import read_status
from infra.local.cloudformation.intrinsics import text
from infra.local.json_values import Json

MOST_RETURNED_BYTES: Final = 6_291_556
PLAIN: Final = "text/plain; charset=utf-8"
JSON: Final = "application/json"
NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
VALUE: Final = re.compile(r"[^\r\n\0]*")
OF_ONE_LEG: Final = frozenset({"connection", "content-length", "transfer-encoding", "upgrade"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes to the client; header names as the function wrote them."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: tuple[str, ...] = ()


def told(status: int, message: str) -> Answer:
    """Return the gateway's own answer."""
    body = json.dumps({"message": message}, separators=(",", ":")).encode()
    return Answer(status, body, {"Content-Type": JSON})


BAD_REQUEST: Final = told(400, "Bad Request")
UNAUTHORIZED: Final = told(401, "Unauthorized")
FORBIDDEN: Final = told(403, "Forbidden")
NOT_FOUND: Final = told(404, "Not Found")
TOO_LARGE: Final = told(413, "Request Entity Too Large")
TOO_MANY: Final = told(429, "Too Many Requests")
HEAD_TOO_LARGE: Final = told(431, "Request Header Fields Too Large")
BROKEN: Final = told(500, "Internal Server Error")
UNAVAILABLE: Final = told(503, "Service Unavailable")


def read_answer(value: Json) -> Answer:
    """Return the answer that a function's return value stands for."""
    # As Lambda's runtime for Python writes it: with spaces, and letters as they are.
    payload = json.dumps(value, ensure_ascii=False).encode(errors="replace")
    if len(payload) > MOST_RETURNED_BYTES:
        return BROKEN
    if isinstance(value, Mapping) and "statusCode" in value:
        return _given(value) or BROKEN
    body = value.encode(errors="replace") if isinstance(value, str) else payload
    return Answer(200, body, {"Content-Type": JSON})


def _given(value: Mapping[str, Any]) -> Answer | None:
    status = read_status(value["statusCode"])
    body = _body(value)
    headers = _headers(value.get("headers"))
    cookies = value.get("cookies") or []
    if status is None or body is None or headers is None:
        return None
    if not isinstance(cookies, list) or not all(_is_value(cookie) for cookie in cookies):
        return None
    return Answer(status, body, headers, tuple(cookies))


def _body(value: Mapping[str, Any]) -> bytes | None:
    body = value.get("body")
    if body is None:
        return b""
    if not isinstance(body, str):
        return None
    if value.get("isBase64Encoded") is not True:
        return body.encode(errors="replace")
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return None


def _headers(given: Json) -> dict[str, str] | None:
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        return None
    headers: dict[str, tuple[str, str]] = {"content-type": ("Content-Type", PLAIN)}
    for name, value in given.items():
        if isinstance(value, list | Mapping) or value is None:
            return None
        if not NAME.fullmatch(name) or not _is_value(text(value)):
            return None
        headers[name.lower()] = (name, text(value))
    return dict(one for lower, one in headers.items() if lower not in OF_ONE_LEG)


def _is_value(value: Json) -> bool:
    return isinstance(value, str) and VALUE.fullmatch(value) is not None
