"""Wake-ups by SQS: delayed messages, at most 900 s ahead; later ones are sent again on the way.

One that cannot be sent is counted: the sweep finds its table, and nobody's move waits for it.
"""

import json

from botocore.exceptions import BotoCoreError, ClientError

from shared.delivery.clients import client
from shared.delivery.posts import Count
from shared.game.ids import TableId

LONGEST_DELAY_S = 900


class QueueTimers:
    """Timers on one SQS queue."""

    def __init__(self, queue_url: str, count: Count) -> None:
        """Nothing is opened before the first send."""
        self._queue_url = queue_url
        self._count = count

    def send(self, table_id: TableId, timer_at: int, now: int) -> None:
        """Wake the table at `timer_at`, rounded up to whole seconds, or in 900 s if sooner."""
        try:
            client("sqs").send_message(
                QueueUrl=self._queue_url,
                MessageBody=json.dumps({"table": table_id, "timerAt": timer_at}),
                DelaySeconds=delay_s(timer_at, now),
            )
        except (ClientError, BotoCoreError) as error:
            self._count("timerFailed", reason=type(error).__name__)


def delay_s(timer_at: int, now: int) -> int:
    """Whole seconds until `timer_at`, rounded up; between 0 and what SQS allows."""
    return min(LONGEST_DELAY_S, max(0, -(-(timer_at - now) // 1000)))
