"""What API Gateway does to a request's headers before functions see them, for every kind of API."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

Pairs = Sequence[tuple[str, str]]

HOP_BY_HOP: Final = frozenset({"connection", "upgrade", "content-length", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class Peer:
    """Who sent a request, to which port of ours, and how it is traced."""

    source_ip: str
    port: int
    scheme: str
    trace_id: str


def end_to_end(headers: Pairs) -> list[tuple[str, str]]:
    """Return the headers that are not about one leg of the way only."""
    return [(name, value) for name, value in headers if name.lower() not in HOP_BY_HOP]


def forwarded(peer: Peer) -> Pairs:
    """Return the headers that tell a function of the peer."""
    return [
        ("X-Amzn-Trace-Id", peer.trace_id),
        ("X-Forwarded-For", peer.source_ip),
        ("X-Forwarded-Port", str(peer.port)),
        ("X-Forwarded-Proto", "https" if peer.scheme == "https" else "http"),
    ]
