"""Cross-origin requests, answered for the function by the CORS configuration of an HTTP API.

Pure (facts H.cors.*). Preflights are answered here; other answers get the configured headers, and
lose those that the function set.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from infra.local.httpapi.answers import Answer

ANY_ORIGIN: Final = "*"
ANY_OF_SCHEME: Final = ("http://*", "https://*")
PREFIX: Final = "access-control-"
NO_CONTENT: Final = 204


@dataclass(frozen=True, slots=True)
class Cors:
    """What the API says of other origins."""

    origins: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    exposed: tuple[str, ...] = ()
    max_age_s: int | None = None
    has_credentials: bool = False


def is_preflight(method: str, headers: Mapping[str, str]) -> bool:
    """Say whether a browser asks beforehand; header names in lower case."""
    asks = "origin" in headers and "access-control-request-method" in headers
    return method == "OPTIONS" and asks


def preflight(cors: Cors, headers: Mapping[str, str]) -> Answer:
    """Return the answer to a browser that asks beforehand; strangers are told nothing."""
    allowed = _allowed(cors, headers)
    if not allowed:
        return Answer(NO_CONTENT)
    told = {
        "Access-Control-Allow-Methods": ",".join(cors.methods),
        "Access-Control-Allow-Headers": ",".join(cors.headers),
        "Access-Control-Max-Age": "" if cors.max_age_s is None else str(cors.max_age_s),
    }
    given = {name: value for name, value in told.items() if value}
    return Answer(NO_CONTENT, headers={**allowed, **given})


def crossed(cors: Cors, headers: Mapping[str, str], answer: Answer) -> Answer:
    """Return a function's answer with the configured headers instead of its own."""
    kept = {
        name: value for name, value in answer.headers.items() if not name.lower().startswith(PREFIX)
    }
    added = _allowed(cors, headers)
    if added and cors.exposed:
        added["Access-Control-Expose-Headers"] = ",".join(cors.exposed)
    return replace(answer, headers={**kept, **added})


def _allowed(cors: Cors, headers: Mapping[str, str]) -> dict[str, str]:
    origin = headers.get("origin", "")
    told = _told_origin(cors, origin)
    if not origin or told is None:
        return {}
    allowed = {"Access-Control-Allow-Origin": told}
    if cors.has_credentials:
        allowed["Access-Control-Allow-Credentials"] = "true"
    return allowed


def _told_origin(cors: Cors, origin: str) -> str | None:
    if ANY_ORIGIN in cors.origins:
        return ANY_ORIGIN
    schemes = tuple(one[:-1] for one in cors.origins if one in ANY_OF_SCHEME)
    return origin if origin in cors.origins or origin.startswith(schemes) else None
