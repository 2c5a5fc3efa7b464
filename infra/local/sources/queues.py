"""SQS queues, kept here rather than in MiniStack so that delays obey the test clock.

Knows delays, visibility, receive counts and redrive to a dead-letter queue; hands messages out
but delivers none itself. Messages are saved with their due instants on a clean stop.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.ids import uuid_text
from infra.local.timing.clock import Clock

DEFAULT_VISIBILITY_S: Final = 30
DEFAULT_RETENTION_S: Final = 345_600


@dataclass(slots=True)
class Message:
    """One message; instants in epoch milliseconds. It can be received from `visible_at` on."""

    id: str
    body: str
    attributes: dict[str, Any]
    sent_at: int
    visible_at: int
    receive_count: int = 0
    first_received_at: int | None = None
    receipt: str | None = None

    @property
    def md5(self) -> str:
        """The digest that clients compare."""
        return hashlib.md5(self.body.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class QueueSpec:
    """What the template says of a queue; `dead_letters` is the ARN of another queue."""

    name: str
    arn: str
    url: str
    delay_s: int = 0
    visibility_s: int = DEFAULT_VISIBILITY_S
    retention_s: int = DEFAULT_RETENTION_S
    most_receives: int | None = None
    dead_letters: str | None = None


@dataclass(slots=True)
class Queue:
    """One queue. `on_due` is told the instant at which a message can be received."""

    spec: QueueSpec
    clock: Clock
    messages: dict[str, Message] = field(default_factory=dict)
    dead_letter_queue: "Queue | None" = None
    on_due: Callable[[int], None] = lambda _: None

    def send(self, body: str, attributes: dict[str, Any], delay_s: int | None) -> Message:
        """Put a message in; it becomes visible after its own delay, or the queue's."""
        now = self.clock.now()
        delay = self.spec.delay_s if delay_s is None else delay_s
        message = Message(uuid_text(), body, attributes, now, now + delay * 1000)
        self.put(message)
        return message

    def put(self, message: Message) -> None:
        """Hold a message, new or saved."""
        self.messages[message.id] = message
        self.on_due(message.visible_at)

    def receive(self, most: int, visibility_s: int | None = None) -> list[Message]:
        """Hand out visible messages, oldest first; they are invisible for a while."""
        now = self.clock.now()
        self._expire(now)
        visible = [one for one in self.messages.values() if one.visible_at <= now]
        received: list[Message] = []
        for message in sorted(visible, key=lambda one: one.visible_at):
            if self._is_spent(message):
                self._bury(message)
            elif len(received) < most:
                received.append(self._handed_out(message, now, visibility_s))
        return received

    def delete(self, receipt: str) -> None:
        """Forget the message of a receipt; an old receipt does nothing."""
        message = self.by_receipt(receipt)
        if message is not None:
            del self.messages[message.id]

    def change_visibility(self, receipt: str, visibility_s: int) -> bool:
        """Let the message reappear after `visibility_s`; False when the receipt is unknown."""
        message = self.by_receipt(receipt)
        if message is None:
            return False
        message.visible_at = self.clock.now() + visibility_s * 1000
        self.on_due(message.visible_at)
        return True

    def by_receipt(self, receipt: str) -> Message | None:
        """Return the message that was last handed out with this receipt."""
        return next((one for one in self.messages.values() if one.receipt == receipt), None)

    def counts(self) -> dict[str, int]:
        """Return how many messages are visible, handed out, delayed."""
        now = self.clock.now()
        waiting = [one for one in self.messages.values() if one.visible_at > now]
        in_flight = sum(1 for one in waiting if one.receipt is not None)
        return {
            "ApproximateNumberOfMessages": len(self.messages) - len(waiting),
            "ApproximateNumberOfMessagesNotVisible": in_flight,
            "ApproximateNumberOfMessagesDelayed": len(waiting) - in_flight,
        }

    def _handed_out(self, message: Message, now: int, visibility_s: int | None) -> Message:
        visibility = self.spec.visibility_s if visibility_s is None else visibility_s
        message.visible_at = now + visibility * 1000
        message.receive_count += 1
        message.first_received_at = message.first_received_at or now
        message.receipt = uuid_text()
        self.on_due(message.visible_at)
        return message

    def _is_spent(self, message: Message) -> bool:
        most = self.spec.most_receives
        return most is not None and message.receive_count >= most

    def _bury(self, message: Message) -> None:
        del self.messages[message.id]
        if self.dead_letter_queue is not None:
            message.visible_at, message.receipt = self.clock.now(), None
            self.dead_letter_queue.put(message)

    def _expire(self, now: int) -> None:
        oldest = now - self.spec.retention_s * 1000
        for message in [one for one in self.messages.values() if one.sent_at < oldest]:
            del self.messages[message.id]


class Queues:
    """All queues of a template, by name."""

    def __init__(self, specs: list[QueueSpec], clock: Clock) -> None:
        self.by_name = {spec.name: Queue(spec, clock) for spec in specs}
        by_arn = {queue.spec.arn: queue for queue in self.by_name.values()}
        for queue in self.by_name.values():
            if queue.spec.dead_letters is not None:
                queue.dead_letter_queue = by_arn.get(queue.spec.dead_letters)

    def of_arn(self, arn: str) -> Queue:
        """Return the queue with this ARN."""
        for queue in self.by_name.values():
            if queue.spec.arn == arn:
                return queue
        raise TemplateError(f"{arn} is no queue of the template")

    def save(self, path: Path) -> None:
        """Write all messages to a file, whole or not at all."""
        saved = {
            name: [asdict(message) for message in queue.messages.values()]
            for name, queue in self.by_name.items()
        }
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps(saved), encoding="utf-8")
        beside.replace(path)

    def restore(self, path: Path) -> None:
        """Take in the messages of a file, if there is one; queues that are no more are dropped."""
        if not path.exists():
            return
        saved: Mapping[str, list[dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
        for name, messages in saved.items():
            queue = self.by_name.get(name)
            for message in messages if queue is not None else []:
                self.by_name[name].put(Message(**message))


def read_queues(template: Template) -> list[QueueSpec]:
    """Return the queues of the template."""
    return [_spec(template, resource) for resource in template.of_kind("AWS::SQS::Queue")]


def _spec(template: Template, resource: Resource) -> QueueSpec:
    properties, names = resource.properties, template.names
    if properties.get("FifoQueue") in {True, "true"}:
        raise TemplateError(f"{resource.logical_id} is a FIFO queue: not served")
    redrive = properties.get("RedrivePolicy", {})
    most = redrive.get("maxReceiveCount")
    return QueueSpec(
        name=names.name(resource.logical_id),
        arn=names.arn(resource.logical_id),
        url=names.queue_url(resource.logical_id),
        delay_s=int(properties.get("DelaySeconds", 0)),
        visibility_s=int(properties.get("VisibilityTimeout", DEFAULT_VISIBILITY_S)),
        retention_s=int(properties.get("MessageRetentionPeriod", DEFAULT_RETENTION_S)),
        most_receives=None if most is None else int(most),
        dead_letters=redrive.get("deadLetterTargetArn"),
    )
