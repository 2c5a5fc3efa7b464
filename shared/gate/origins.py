"""From which web pages a browser may connect.

Only browsers send `Origin` on a WebSocket handshake, and no script can forge it there (RFC 6455
10.2); a connection without one is an app, to which other people's pages are no danger.
"""

from collections.abc import Iterable

ANY = "*"


def is_allowed(origin: str | None, allowed: Iterable[str]) -> bool:
    """Whether a connection with this `Origin` header (None: without one) may be opened."""
    if origin is None:
        return True
    known = {_plain(one) for one in allowed} - {""}
    return ANY in known or _plain(origin) in known


def _plain(origin: str) -> str:
    """The origin as browsers write it: lower case, no slash at the end (RFC 6454 6.1)."""
    return origin.strip().lower().rstrip("/")
