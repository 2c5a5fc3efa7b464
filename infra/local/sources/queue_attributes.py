"""What a queue tells of itself: its settings and its counts, by the names of GetQueueAttributes."""

import json
from collections.abc import Sequence
from typing import Any

from infra.local.sources.queue_state import Queue
from infra.local.sources.sqs_errors import SqsError

# Attributes that exist and that nothing here stands behind: a queue has none of them set.
UNSET = frozenset(
    {
        "KmsDataKeyReusePeriodSeconds",
        "KmsMasterKeyId",
        "Policy",
        "RedriveAllowPolicy",
        "RedrivePolicy",
        "FifoQueue",
        "ContentBasedDeduplication",
        "DeduplicationScope",
        "FifoThroughputLimit",
    }
)


def described(queue: Queue, asked: Sequence[str]) -> dict[str, Any]:
    """Return the answer of GetQueueAttributes; raises SqsError for a name that does not exist."""
    known = {**queue.counts(), **_settings(queue)}
    for name in asked:
        if name != "All" and name not in known and name not in UNSET:
            raise SqsError("InvalidAttributeName", f"Unknown Attribute {name}.")
    wanted = {name: str(value) for name, value in known.items() if "All" in asked or name in asked}
    return {"Attributes": wanted} if wanted else {}


def _settings(queue: Queue) -> dict[str, object]:
    spec = queue.spec
    settings: dict[str, object] = {
        "QueueArn": spec.arn,
        "CreatedTimestamp": queue.created_at // 1000,
        "LastModifiedTimestamp": queue.created_at // 1000,
        "DelaySeconds": spec.delay_s,
        "MaximumMessageSize": spec.most_bytes,
        "MessageRetentionPeriod": spec.retention_s,
        "ReceiveMessageWaitTimeSeconds": spec.wait_s,
        "SqsManagedSseEnabled": "true",
        "VisibilityTimeout": spec.visibility_s,
    }
    if spec.dead_letters is not None:
        settings["RedrivePolicy"] = json.dumps(
            {"deadLetterTargetArn": spec.dead_letters, "maxReceiveCount": spec.most_receives}
        )
    if spec.is_fifo:
        per_group = spec.deduplicates_per_group
        settings |= {
            "FifoQueue": "true",
            "ContentBasedDeduplication": "true" if spec.deduplicates_by_content else "false",
            "DeduplicationScope": "messageGroup" if per_group else "queue",
            "FifoThroughputLimit": "perMessageGroupId" if per_group else "perQueue",
        }
    return settings
