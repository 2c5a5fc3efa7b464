"""What a function behind a Lambda proxy integration may return, and what it means.

Pure. Fact A2: a malformed object (no statusCode, a body that is no text, keys that API Gateway
does not know) is an internal server error; a well-formed one is not, whatever its status.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.apigateway.statuses import read_status
from infra.local.json_values import Json

MOST_SENT_BYTES: Final = 128 * 1024
KNOWN_KEYS: Final = frozenset(
    {"statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded", "cookies"}
)


@dataclass(frozen=True, slots=True)
class ProxyResponse:
    """A well-formed answer; header names in lower case."""

    status: int
    body: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_too_long(self) -> bool:
        """Whether the body is more than one message may have."""
        return self.body is not None and len(self.body.encode()) > MOST_SENT_BYTES


def read_proxy_response(value: Json) -> ProxyResponse | None:
    """Return the answer, or None when it is malformed."""
    if not isinstance(value, Mapping) or not KNOWN_KEYS.issuperset(value):
        return None
    status = read_status(value.get("statusCode"))
    body = value.get("body")
    headers = _headers(value)
    if status is None or headers is None or not isinstance(body, str | None):
        return None
    if body is not None:
        # Half of a surrogate pair is legal in JSON, and nothing that could be sent.
        body = body.encode(errors="replace").decode()
    return ProxyResponse(status, body, headers)


def _headers(value: Mapping[str, Any]) -> dict[str, str] | None:
    single = value.get("headers") or {}
    multiple = value.get("multiValueHeaders") or {}
    if not isinstance(single, Mapping) or not isinstance(multiple, Mapping):
        return None
    headers = {str(name).lower(): str(one) for name, one in single.items()}
    for name, values in multiple.items():
        if isinstance(values, list) and values:
            headers[str(name).lower()] = str(values[-1])
    return headers
