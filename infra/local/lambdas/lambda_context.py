"""The context object that a handler is given, as Lambda's runtime gives it."""

import time
from collections.abc import Mapping
from typing import Any


class LambdaContext:
    """What a handler may ask about its invocation. The time left is real time."""

    function_version = "$LATEST"
    identity = None
    client_context = None

    def __init__(self, about: Mapping[str, Any], request_id: str) -> None:
        self.aws_request_id = request_id
        self.function_name = str(about["name"])
        self.invoked_function_arn = str(about["arn"])
        self.memory_limit_in_mb = str(about["memory_mb"])
        self.log_group_name = f"/aws/lambda/{self.function_name}"
        self.log_stream_name = "local"
        self._deadline = time.monotonic() + float(about["timeout_s"])

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the handler may still run."""
        return max(0, int((self._deadline - time.monotonic()) * 1000))
