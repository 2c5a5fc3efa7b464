"""What Lambda answers in place of a result when a function failed.

Keys and their order are those of the Python runtime; what failed below the runtime (time-outs, a
process that ended) has the request's id in its message and no trace.
"""

from typing import Any, Final

from infra.local.lambdas.invocation import FunctionError

BELOW_THE_RUNTIME: Final = ("Sandbox.", "Runtime.ExitError")


def error_payload(error: FunctionError, request_id: str) -> dict[str, Any]:
    """Return the error as the JSON object that callers and destinations are given."""
    if error.type.startswith(BELOW_THE_RUNTIME):
        message = f"RequestId: {request_id} Error: {error.message}"
        return {"errorType": error.type, "errorMessage": message}
    return {
        "errorMessage": error.message,
        "errorType": error.type,
        "requestId": request_id,
        "stackTrace": list(error.stack),
    }
