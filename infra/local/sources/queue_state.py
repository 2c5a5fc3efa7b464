"""One SQS queue: what is in it, who may receive it when, and where it goes in the end.

Knows delays, visibility, receive counts, redrive to a dead-letter queue and retention; hands
messages out but delivers none itself.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from infra.local.ids import uuid_text
from infra.local.sources.fifo import Attempts, Memory, Sent, in_order
from infra.local.sources.messages import Message, Outgoing
from infra.local.sources.queue_specs import LONGEST_VISIBILITY_S, QueueSpec
from infra.local.sources.receipts import message_id_of, new_receipt
from infra.local.sources.sqs_errors import FORBIDDEN, invalid_value, simple
from infra.local.timing.clock import Clock

MOST_IN_FLIGHT: Final = 120_000
PURGE_EVERY_MS: Final = 60_000


@dataclass(slots=True)
class Queue:
    """One queue. Its listeners are told each instant at which a message can be received.

    What is handed out is a copy as it was then: a receipt stays what it was when the message
    reappears and is received by somebody else. Raises SqsError for what SQS refuses.
    """

    spec: QueueSpec
    clock: Clock
    messages: dict[str, Message] = field(default_factory=dict)
    dead_letter_queue: "Queue | None" = None
    listeners: list[Callable[[int], None]] = field(default_factory=list)
    # How much later than it should the next message becomes visible.
    late_ms: Callable[[], int] = lambda: 0
    memory: Memory = field(default_factory=Memory)
    _attempts: Attempts = field(default_factory=Attempts)
    _purged_at: int | None = None
    created_at: int = field(init=False)

    def __post_init__(self) -> None:
        self.created_at = self.clock.now()

    def send(self, outgoing: Outgoing) -> Message:
        """Put a message in; it becomes visible after its own delay, or the queue's."""
        now = self.clock.now()
        key = self._key(outgoing)
        first = self.memory.known(key, now) if self.spec.is_fifo else None
        message = self._made(outgoing, now)
        if first is not None:
            # Accepted, and never delivered: the sender is told of the first one.
            return replace(message, id=first.message_id, sequence=first.sequence)
        if message.sequence is not None:
            self.memory.remember(Sent(key, now, message.id, message.sequence))
        self.put(message)
        return message

    def put(self, message: Message) -> None:
        """Hold a message, new or saved."""
        self.messages[message.id] = message
        self._tell(message.visible_at)

    def receive(
        self, most: int, visibility_s: int | None = None, attempt_id: str | None = None
    ) -> list[Message]:
        """Hand out visible messages, oldest first; they are invisible for a while."""
        now = self.clock.now()
        self._expire(now)
        span_ms = (self.spec.visibility_s if visibility_s is None else visibility_s) * 1000
        repeated = self._repeated(attempt_id, now)
        if repeated is not None:
            received = [self._hidden(one, now + span_ms) for one in repeated]
        else:
            received = [self._handed_out(one, now, span_ms) for one in self._chosen(most, now)]
        if attempt_id is not None and self.spec.is_fifo:
            self._attempts.made(attempt_id, now, received)
        return received

    def leave_in(self, received: Message, again_ms: int) -> None:
        """What was just received stays in, as if nobody had, and can be received in `again_ms`.

        So does a server of SQS that missed it: it hands the message out once more, whatever came
        of the first copy, even if that is deleted.
        """
        held = self.messages.get(received.id)
        if held is None:
            return  # purged meanwhile
        held.receive_count -= 1
        held.receives_here -= 1
        held.receipt = None
        self._hidden(held, self.clock.now() + again_ms)

    def delete(self, receipt: str) -> None:
        """Forget the message of a receipt; the receipt of an earlier receive does nothing."""
        held = self._held(receipt)
        if self.spec.is_fifo and held is not None and not self._holds(receipt):
            raise invalid_value(receipt, "ReceiptHandle", "The receipt handle has expired.")
        self.forget(receipt)

    def forget(self, receipt: str) -> None:
        """As `delete`, for whoever cannot be told that he came too late."""
        held = self._held(receipt)
        if held is not None and held.receipt == receipt:
            del self.messages[held.id]
            # What waited behind it in its group can be received now.
            self._tell(self.clock.now())

    def _holds(self, receipt: str) -> bool:
        held = self._held(receipt)
        if held is None or held.receipt != receipt:
            return False
        return held.is_in_flight(self.clock.now())

    def change_visibility(self, receipt: str, visibility_s: int) -> None:
        """Let the message reappear after `visibility_s`."""
        now, held = self.clock.now(), self._held(receipt)
        if held is None:
            reason = "Message does not exist or is not available for visibility timeout change."
            raise invalid_value(receipt, "ReceiptHandle", reason)
        if held.receipt != receipt or not held.is_in_flight(now):
            raise simple("MessageNotInflight", "The specified message isn't in flight.")
        if now + visibility_s * 1000 > held.received_at + LONGEST_VISIBILITY_S * 1000:
            reason = (
                "Total VisibilityTimeout for the message is beyond the limit "
                f"[{LONGEST_VISIBILITY_S} seconds]."
            )
            raise invalid_value(visibility_s, "VisibilityTimeout", reason)
        self._hidden(held, now + visibility_s * 1000)

    def purge(self) -> None:
        """Forget every message; once a minute."""
        now = self.clock.now()
        if self._purged_at is not None and now < self._purged_at + PURGE_EVERY_MS:
            words = (
                f"Only one PurgeQueue operation on {self.spec.name} is allowed every 60 seconds."
            )
            raise simple("PurgeQueueInProgress", words, FORBIDDEN)
        self._purged_at = now
        self.messages.clear()

    def counts(self) -> dict[str, int]:
        """Return how many messages are visible, handed out, delayed."""
        now = self.clock.now()
        self._expire(now)
        waiting = [one for one in self.messages.values() if one.visible_at > now]
        in_flight = sum(1 for one in waiting if one.receipt is not None)
        return {
            "ApproximateNumberOfMessages": len(self.messages) - len(waiting),
            "ApproximateNumberOfMessagesNotVisible": in_flight,
            "ApproximateNumberOfMessagesDelayed": len(waiting) - in_flight,
        }

    def _tell(self, instant: int) -> None:
        for listener in self.listeners:
            listener(instant)

    def _made(self, outgoing: Outgoing, now: int) -> Message:
        delay_s = self.spec.delay_s if outgoing.delay_s is None else outgoing.delay_s
        is_fifo = self.spec.is_fifo
        late_ms = 0 if is_fifo else self.late_ms()
        return Message(
            id=uuid_text(),
            body=outgoing.body,
            attributes=outgoing.attributes,
            sent_at=now,
            visible_at=now + delay_s * 1000 + late_ms,
            kept_since=now,
            group_id=outgoing.group_id,
            deduplication_id=_deduplication_id(outgoing) if is_fifo else None,
            sequence=self.memory.next_sequence(now) if is_fifo else None,
            trace_header=outgoing.trace_header,
        )

    def _key(self, outgoing: Outgoing) -> str:
        scope = outgoing.group_id if self.spec.deduplicates_per_group else ""
        return json.dumps([scope, _deduplication_id(outgoing)])

    def _repeated(self, attempt_id: str | None, now: int) -> list[Message] | None:
        if attempt_id is None or not self.spec.is_fifo:
            return None
        return self._attempts.repeated(attempt_id, self.messages, now)

    def _chosen(self, most: int, now: int) -> Iterator[Message]:
        in_flight = sum(1 for one in self.messages.values() if one.is_in_flight(now))
        room = MOST_IN_FLIGHT - in_flight
        if room <= 0 and not self.spec.is_fifo:
            raise simple("OverLimit", "Too many messages are in flight.", FORBIDDEN)
        left = min(most, room)
        for message in self._receivable(now):
            if self._is_spent(message):
                self._bury(message, now)
            elif left > 0:
                left -= 1
                yield message

    def _receivable(self, now: int) -> list[Message]:
        if self.spec.is_fifo:
            return list(in_order(self.messages.values(), now))
        visible = (one for one in self.messages.values() if one.visible_at <= now)
        return sorted(visible, key=lambda one: one.visible_at)

    def _handed_out(self, message: Message, now: int, span_ms: int) -> Message:
        message.receive_count += 1
        message.receives_here += 1
        message.first_received_at = message.first_received_at or now
        message.received_at = now
        message.receipt = new_receipt(message.id, self.spec.arn)
        return self._hidden(message, now + span_ms)

    def _hidden(self, message: Message, until: int) -> Message:
        message.visible_at = until
        self._tell(until)
        return replace(message)

    def _is_spent(self, message: Message) -> bool:
        most = self.spec.most_receives
        return most is not None and message.receives_here >= most

    def _bury(self, message: Message, now: int) -> None:
        del self.messages[message.id]
        if self.dead_letter_queue is None:
            return
        # The life of a standard message goes on; the one of a FIFO message begins anew.
        kept_since = now if self.spec.is_fifo else message.kept_since
        self.dead_letter_queue.put(
            replace(
                message,
                visible_at=now,
                receipt=None,
                receives_here=0,
                kept_since=kept_since,
                source_arn=self.spec.arn,
            )
        )

    def _expire(self, now: int) -> None:
        oldest = now - self.spec.retention_s * 1000
        for message in [one for one in self.messages.values() if one.kept_since <= oldest]:
            del self.messages[message.id]

    def _held(self, receipt: str) -> Message | None:
        return self.messages.get(message_id_of(receipt, self.spec.arn))


def _deduplication_id(outgoing: Outgoing) -> str:
    return outgoing.deduplication_id or hashlib.sha256(outgoing.body.encode()).hexdigest()
