"""How SQS says that a call did not work through no fault of the caller."""

from collections.abc import Callable

from aiohttp import web

from infra.local.call_faults import Mishap
from infra.local.sources.sqs_errors import SqsError


class SqsWords:
    """SQS's words."""

    def can_conflict(self, _request: web.BaseRequest) -> bool:
        """Return no: there are no transactions."""
        return False

    async def refusal(
        self, mishap: Mishap, _request: web.BaseRequest, fraction: Callable[[str], float]
    ) -> web.Response:
        """Return the error."""
        if mishap is Mishap.THROTTLED:
            return THROTTLED.response()
        return FAILED[fraction("sqs-words") < 1 / 2].response()


THROTTLED = SqsError("RequestThrottled", "The request was denied due to request throttling.")
FAILED = (
    SqsError("InternalFailure", "The request processing has failed.", status=500),
    SqsError("ServiceUnavailable", "The request has failed for now.", status=503),
)
