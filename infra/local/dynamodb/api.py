"""Calls DynamoDB, or its streams, without an SDK: JSON over HTTP.

Whoever answers here checks no signature. The SDK would cost the gateway a third of a second at its
start and 20 MB for the few calls that it makes.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import aiohttp

from infra.local.cloudformation.intrinsics import Place

TABLES: Final = "DynamoDB_20120810"
STREAMS: Final = "DynamoDBStreams_20120810"
SIGNED: Final = "AWS4-HMAC-SHA256 Credential=local/20250101/{}/dynamodb/aws4_request, Signature=0"


class RefusedError(Exception):
    """The API refused; `code` says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(slots=True)
class DynamoDbApi:
    """Calls the operations of `target`; connects with the first call."""

    endpoint: str
    place: Place
    target: str = TABLES
    _session: aiohttp.ClientSession | None = None

    async def call(self, operation: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer; raises RefusedError."""
        if self._session is None:
            self._session = aiohttp.ClientSession()
        headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": f"{self.target}.{operation}",
            "Authorization": SIGNED.format(self.place.region),
        }
        data = json.dumps(body).encode()
        async with self._session.post(self.endpoint, headers=headers, data=data) as response:
            answer: dict[str, Any] = json.loads(await response.read())
        if response.ok:
            return answer
        code = str(answer.get("__type", "")).rpartition("#")[2]
        raise RefusedError(code, f"{operation} is refused: {answer}")

    async def close(self) -> None:
        """Hang up."""
        if self._session is not None:
            await self._session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
