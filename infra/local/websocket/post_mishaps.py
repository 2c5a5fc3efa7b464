"""How `@connections` says that a call did not work, though the connection is there."""

from collections.abc import Callable

from aiohttp import web

from infra.local.call_faults import Mishap
from infra.local.websocket.connections import refusal


class PostWords:
    """API Gateway's words."""

    def can_conflict(self, _request: web.BaseRequest) -> bool:
        """Return no: there are no transactions."""
        return False

    async def refusal(
        self, mishap: Mishap, _request: web.BaseRequest, fraction: Callable[[str], float]
    ) -> web.Response:
        """Return the error."""
        if mishap is Mishap.THROTTLED:
            return refusal(429, "LimitExceededException", "Too Many Requests")
        if fraction("connections-words") < 1 / 2:
            return refusal(503, "ServiceUnavailableException", "Service Unavailable")
        return refusal(500, "InternalServerErrorException", "Internal server error")
