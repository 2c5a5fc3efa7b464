"""What stands before DynamoDB where its calls are to go wrong: passes on what does not.

Only there if a switch of DynamoDB was named at the start, so that nobody else pays for it. Whoever
asks MiniStack itself, as this system and tests do, meets no mishap.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import aiohttp
from aiohttp import web

from infra.local.mishaps import Mishaps

# Of one connection, not of a call.
HOP: Final = frozenset({"connection", "content-length", "host", "keep-alive", "transfer-encoding"})


@dataclass(slots=True)
class DynamoDbFront:
    """Answers calls of DynamoDB, by way of `endpoint`; connects with the first."""

    endpoint: str
    mishaps: Mishaps
    _session: aiohttp.ClientSession | None = None

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one call."""
        return await self.mishaps.answer(request, self._pass_on)

    async def _pass_on(self, request: web.BaseRequest) -> web.Response:
        if self._session is None:
            # As many at once as there are functions, and bodies as they are: some are compressed.
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), auto_decompress=False
            )
        data, headers = await request.read(), _passed(request.headers)
        async with self._session.post(self.endpoint, headers=headers, data=data) as answer:
            return web.Response(
                status=answer.status, body=await answer.read(), headers=_passed(answer.headers)
            )

    async def stop(self) -> None:
        """Hang up."""
        if self._session is not None:
            await self._session.close()


def _passed(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in HOP}
