"""What may go wrong with a call of an AWS service: refused, failed, unheard, late.

A service may do what it was asked and fail all the same, so before and after the effect are two
things. Shares go from 0 to 1. Knows no service's words; `mishaps` does.
"""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Whole = Annotated[int, msgspec.Meta(ge=0)]
Called = Literal["dynamodb", "sqs", "connections"]


class Mishap(StrEnum):
    """What becomes of one call; where several are drawn, the first in this order."""

    THROTTLED = "throttled"
    """Refused without an effect: too many calls."""
    FAILED = "failed"
    """A 5xx without an effect."""
    CONFLICT = "conflict"
    """Refused without an effect: a transaction on the item is under way."""
    FAILED_AFTER = "failed_after"
    """A 5xx, and yet it was done."""
    HUNG_UP = "hung_up"
    """Done; the connection is closed without an answer."""
    UNANSWERED = "unanswered"
    """Done; no answer comes, and the connection stays."""


BEFORE = frozenset({Mishap.THROTTLED, Mishap.FAILED, Mishap.CONFLICT})


class CallFaults(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """The switches of calls: of DynamoDB (by functions), of SQS, and of `@connections`."""

    dynamodb_throttled: Share = 0.0
    dynamodb_failed: Share = 0.0
    dynamodb_failed_after: Share = 0.0
    dynamodb_hung_up: Share = 0.0
    dynamodb_unanswered: Share = 0.0
    dynamodb_conflict: Share = 0.0
    dynamodb_late: Share = 0.0
    dynamodb_late_ms: Whole = 300
    sqs_throttled: Share = 0.0
    sqs_failed: Share = 0.0
    sqs_failed_after: Share = 0.0
    sqs_hung_up: Share = 0.0
    sqs_unanswered: Share = 0.0
    sqs_late: Share = 0.0
    sqs_late_ms: Whole = 300
    connections_throttled: Share = 0.0
    connections_failed: Share = 0.0
    connections_failed_after: Share = 0.0
    connections_hung_up: Share = 0.0
    connections_unanswered: Share = 0.0
    connections_late: Share = 0.0
    connections_late_ms: Whole = 300
