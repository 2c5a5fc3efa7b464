"""What makes an HTTP request the beginning of a WebSocket (RFC 6455, 4.2.1), before any function.

A client that errs here would meet no server that lets it in.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Final

from aiohttp import web

VERSION: Final = "13"
KEY_BYTES: Final = 16


def refused_upgrade(method: str, headers: Mapping[str, str]) -> web.Response | None:
    """Return the refusal of a request that asks for an upgrade as no client may."""
    if method != "GET":
        return web.Response(status=405, text="A WebSocket begins with GET\n")
    if headers.get("Sec-WebSocket-Version") != VERSION:
        told = {"Sec-WebSocket-Version": VERSION}
        return web.Response(status=426, text=f"This is version {VERSION}\n", headers=told)
    tokens = [token.strip().lower() for token in headers.get("Connection", "").split(",")]
    if "upgrade" not in tokens:
        return web.Response(status=400, text="Connection does not say upgrade\n")
    if not _is_key(headers.get("Sec-WebSocket-Key", "")):
        return web.Response(status=400, text="Sec-WebSocket-Key is missing or malformed\n")
    return None


def _is_key(text: str) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) == KEY_BYTES
    except (binascii.Error, ValueError):
        return False
