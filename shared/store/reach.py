"""How DynamoDB is reached: how long it is waited for, and what is asked again.

Calls that were throttled, failed, or were not answered are repeated a moment later, a transaction
under the same token, so that it is done once. A write of STATE is not: it is decided anew, since
what it says of clocks is true of one instant only. Nor is a throttled transaction, which is
mostly one.
"""

import random
import time
import uuid
from http import HTTPStatus
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection
from pynamodb.connection import Connection

CONNECT_TIMEOUT_S = 1
READ_TIMEOUT_S = 1
"""DynamoDB answers in milliseconds, or another node will."""
LONGEST_WAITS_S = (0.1, 0.5)
"""Before the second and the third attempt."""
TRANSACTION = "TransactWriteItems"
THROTTLED = frozenset(
    {
        "ThrottlingException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
    }
)
IN_PROGRESS = "TransactionInProgressException"
"""A transaction that was not answered, and asked again, is still under way."""
CANCELLED_AS_THROTTLED = frozenset({"ThrottlingError", "ProvisionedThroughputExceeded"})


class Reach(Connection):
    """The client of all models; `state_table` is the DynamoDB table whose updates are of STATE."""

    def __init__(self, state_table: str) -> None:
        """Nothing is opened before the first call."""
        super().__init__(
            connect_timeout_seconds=CONNECT_TIMEOUT_S,
            read_timeout_seconds=READ_TIMEOUT_S,
            max_retry_attempts=0,
        )
        self._state_table = state_table

    def _make_api_call(self, operation_name: str, operation_kwargs: dict[str, Any]) -> Any:  # noqa: ANN401 - what DynamoDB says
        if operation_name == TRANSACTION:
            operation_kwargs = {"ClientRequestToken": str(uuid.uuid4()), **operation_kwargs}
        for longest_s in LONGEST_WAITS_S:
            try:
                return super()._make_api_call(operation_name, operation_kwargs)
            except (ClientError, BotoCoreError) as error:
                if not self._is_repeated(operation_name, operation_kwargs, error):
                    raise
            time.sleep(random.uniform(0, longest_s))  # noqa: S311 - no secret
        return super()._make_api_call(operation_name, operation_kwargs)

    def _is_repeated(self, operation: str, asked: dict[str, Any], error: Exception) -> bool:
        if operation == TRANSACTION:
            return is_unsure(error)
        is_state = operation == "UpdateItem" and asked["TableName"] == self._state_table
        return not is_state and (is_unsure(error) or is_throttled(error))


def is_throttled(error: BaseException | None) -> bool:
    """Whether the call was refused, without an effect, because there are too many."""
    if not isinstance(error, ClientError):
        return False
    reasons = getattr(error, "cancellation_reasons", ())
    codes = {reason.code for reason in reasons if reason is not None}
    return code_of(error) in THROTTLED or not codes.isdisjoint(CANCELLED_AS_THROTTLED)


def is_unsure(error: BaseException | None) -> bool:
    """Whether nobody can say if the call had its effect: a failure inside, or no answer."""
    if isinstance(error, ClientError):
        is_failed = _status(error) >= HTTPStatus.INTERNAL_SERVER_ERROR
        return is_failed or code_of(error) == IN_PROGRESS
    return isinstance(error, (NoConnection, HTTPClientError))


def code_of(error: BaseException | None) -> str:
    """DynamoDB's name for what is wrong; none where it did not answer.

    PynamoDB's `cause_response_code` cannot be asked when there was no answer.
    """
    return error.response.get("Error", {}).get("Code", "") if isinstance(error, ClientError) else ""


def _status(error: ClientError) -> int:
    """PynamoDB's errors leave it to the one that they were made of."""
    told = error if error.__cause__ is None else error.__cause__
    metadata = told.response.get("ResponseMetadata", {}) if isinstance(told, ClientError) else {}
    return metadata.get("HTTPStatusCode", 0)
