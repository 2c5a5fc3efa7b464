"""Calls of AWS services that go wrong, before or after they did what they were asked.

A service is wrapped: its calls are refused, failed, left without an answer or held up as the
switches say, in its own words. What AWS clients wait for is real time, so this is too.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

from aiohttp import web

from infra.local.call_faults import BEFORE, Called, Mishap
from infra.local.faults import Chance

# Clients give up earlier; one that never does is hung up on.
LONGEST_SILENCE_S: Final = 20.0
LOOK_EVERY_S: Final = 0.02
Serve = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Words(Protocol):
    """How one service says that it did not work."""

    def can_conflict(self, request: web.BaseRequest) -> bool:
        """Return whether the call may be refused because of a transaction."""

    async def refusal(
        self, mishap: Mishap, request: web.BaseRequest, fraction: Callable[[str], float]
    ) -> web.Response:
        """Return the answer; `fraction` draws between spellings."""


@dataclass(frozen=True, slots=True)
class Mishaps:
    """What befalls the calls of one service."""

    called: Called
    words: Words
    chance: Chance

    async def answer(self, request: web.BaseRequest, serve: Serve) -> web.StreamResponse:
        """Answer one call, or do not."""
        late_ms = self.chance.call_late_ms(self.called)
        mishap = self.chance.mishap(self.called, can_conflict=self.words.can_conflict(request))
        if late_ms:
            await asyncio.sleep(late_ms / 1000)
        if mishap is None:
            return await serve(request)
        if mishap not in BEFORE:
            done = await serve(request)
            if mishap is not Mishap.FAILED_AFTER:
                return await _unheard(request, done, mishap)
        return await self.words.refusal(mishap, request, self.chance.fraction)


async def _unheard(
    request: web.BaseRequest, done: web.StreamResponse, mishap: Mishap
) -> web.StreamResponse:
    """Return when the client's connection is closed, by him or at once; nothing was answered."""
    loop = asyncio.get_running_loop()
    until = loop.time() + (LONGEST_SILENCE_S if mishap is Mishap.UNANSWERED else 0)
    while loop.time() < until and _is_there(request):  # noqa: ASYNC110  aiohttp tells nobody
        await asyncio.sleep(LOOK_EVERY_S)
    if request.transport is not None:
        request.transport.abort()
    return done


def _is_there(request: web.BaseRequest) -> bool:
    return request.transport is not None and not request.transport.is_closing()
