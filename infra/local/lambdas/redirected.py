"""Leads the management API of WebSockets here, whatever address a handler gave its AWS client.

Handlers make it of the event's domain name and stage, or get it from the template: `https://...`
either way, which nobody answers on one machine. Nothing may reach a real account from here.
"""

import importlib
import os
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

SERVICE: Final = "apigatewaymanagementapi"
VARIABLE: Final = "AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI"


def lead_here() -> None:
    """Every client that is made from now on posts to the address in the environment."""
    handlers: Any = importlib.import_module("botocore.handlers")
    handlers.BUILTIN_HANDLERS.append((f"before-call.{SERVICE}", _redirect))


def led(url: str, here: str) -> str:
    """Return the address here that a request to `url` means; `here` ends in the stage."""
    local, meant = urlsplit(here), urlsplit(url)
    # A domain name of one's own has no stage in its path.
    stage = local.path if meant.path.startswith(("/@", "/%40")) else ""
    return urlunsplit((local.scheme, local.netloc, stage + meant.path, meant.query, ""))


def _redirect(params: dict[str, Any], **_: object) -> None:
    here = os.environ.get(VARIABLE)
    if here is not None:
        params["url"] = led(params["url"], here)
