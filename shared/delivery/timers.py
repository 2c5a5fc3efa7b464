"""Wake-ups by SQS: delayed messages, at most 900 s ahead; later ones are sent again on the way.

One that cannot be sent is counted: the sweep finds its table. Moves wait for a queue that does not
answer once in a while, not each of them.
"""

import json
import time

from botocore.exceptions import BotoCoreError, ClientError, ConnectTimeoutError, ReadTimeoutError

from shared.delivery.clients import client
from shared.delivery.posts import Count
from shared.game.ids import TableId

LONGEST_DELAY_S = 900
LEFT_ALONE_S = 5.0
"""How long a queue that did not answer is not asked again."""


class QueueTimers:
    """Timers on one SQS queue."""

    def __init__(self, queue_url: str, count: Count) -> None:
        """Nothing is opened before the first send."""
        self._queue_url = queue_url
        self._count = count
        self._left_alone_until = 0.0

    def send(self, table_id: TableId, timer_at: int, now: int) -> None:
        """Wake the table at `timer_at`, rounded up to whole seconds, or in 900 s if sooner."""
        if time.monotonic() < self._left_alone_until:
            self._count("timerFailed", reason="LeftAlone")
            return
        try:
            client("sqs").send_message(
                QueueUrl=self._queue_url,
                MessageBody=json.dumps({"table": table_id, "timerAt": timer_at}),
                DelaySeconds=delay_s(timer_at, now),
            )
        except (ClientError, BotoCoreError) as error:
            self._count("timerFailed", reason=type(error).__name__)
            if isinstance(error, (ReadTimeoutError, ConnectTimeoutError)):
                self._left_alone_until = time.monotonic() + LEFT_ALONE_S


def delay_s(timer_at: int, now: int) -> int:
    """Whole seconds until `timer_at`, rounded up; between 0 and what SQS allows."""
    return min(LONGEST_DELAY_S, max(0, -(-(timer_at - now) // 1000)))
