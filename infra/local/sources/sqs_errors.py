"""The errors of SQS: the code that SDKs make an exception of, in both spellings, and its words."""

import json
from dataclasses import dataclass
from typing import Final

from aiohttp import web

BAD_REQUEST: Final = 400
SERVER_ERROR: Final = 500
FORBIDDEN: Final = 403


@dataclass(frozen=True, slots=True)
class SqsError(Exception):
    """A request that cannot be served.

    `code` is the name in the service's model, `query_code` the one of the older query protocol
    where it differs: SDKs go on telling it, from a header.
    """

    code: str
    message: str
    query_code: str = ""
    status: int = BAD_REQUEST

    @property
    def told_code(self) -> str:
        """The code that SDKs show."""
        return self.query_code or self.code

    @property
    def whose(self) -> str:
        """Whose fault it is."""
        return "Sender" if self.status < SERVER_ERROR else "Receiver"

    def response(self) -> web.Response:
        """Return the answer that SDKs parse."""
        return web.Response(
            status=self.status,
            text=json.dumps({"__type": f"com.amazonaws.sqs#{self.code}", "message": self.message}),
            content_type="application/x-amz-json-1.0",
            headers={"x-amzn-query-error": f"{self.told_code};{self.whose}"},
        )


def simple(code: str, message: str, status: int = BAD_REQUEST) -> SqsError:
    """Return an error whose older name has the service before it."""
    return SqsError(code, message, f"AWS.SimpleQueueService.{code}", status)


def invalid(message: str) -> SqsError:
    """Return the error of a parameter that makes no sense."""
    return SqsError("InvalidParameterValue", message)


def invalid_value(value: object, name: str, reason: str) -> SqsError:
    """Return the error of a parameter with the value that makes no sense."""
    return invalid(f"Value {value} for parameter {name} is invalid. Reason: {reason}")


def missing(name: str) -> SqsError:
    """Return the error of a parameter that must be there."""
    return SqsError("MissingParameter", f"The request must contain the parameter {name}.")


def no_such_queue() -> SqsError:
    """Return the error of a queue that does not exist."""
    return SqsError(
        "QueueDoesNotExist",
        "The specified queue does not exist.",
        "AWS.SimpleQueueService.NonExistentQueue",
    )
