"""Calls a function for as long as API Gateway waits for it."""

import asyncio
from collections.abc import Mapping
from typing import Any

from infra.local.lambdas.functions import Function
from infra.local.lambdas.invocation import Invoker, Outcome, Patient


async def call_within(
    invoker: Invoker, function: Function, event: Mapping[str, Any], limit_ms: int
) -> Outcome | None:
    """Return what came of the call; None past the limit: the function goes on, as on AWS."""
    if isinstance(invoker, Patient):
        return await invoker.invoke(function, event)
    invocation = asyncio.ensure_future(invoker.invoke(function, event))
    done, _ = await asyncio.wait([invocation], timeout=limit_ms / 1000)
    return invocation.result() if done else None
