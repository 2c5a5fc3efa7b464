"""The SQS queues of a template: here rather than in MiniStack, so that delays obey the test clock.

Their messages are saved with their instants on a clean stop.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.logs import report
from infra.local.sources.messages import Message
from infra.local.sources.queue_specs import QueueSpec
from infra.local.sources.queue_state import Queue
from infra.local.timing.clock import Clock

SAVED_AS: Final = 2


class Queues:
    """All queues of a template, by name."""

    def __init__(
        self, specs: list[QueueSpec], clock: Clock, late_ms: Callable[[], int] = lambda: 0
    ) -> None:
        self.by_name = {spec.name: Queue(spec, clock, late_ms=late_ms) for spec in specs}
        by_arn = {queue.spec.arn: queue for queue in self.by_name.values()}
        for queue in self.by_name.values():
            if queue.spec.dead_letters is not None:
                queue.dead_letter_queue = by_arn[queue.spec.dead_letters]

    def of_arn(self, arn: str) -> Queue:
        """Return the queue with this ARN."""
        for queue in self.by_name.values():
            if queue.spec.arn == arn:
                return queue
        raise TemplateError(f"{arn} is no queue of the template")

    def save(self, path: Path) -> None:
        """Write all messages to a file, whole or not at all."""
        saved = {
            name: {
                "messages": [asdict(message) for message in queue.messages.values()],
                "sent": queue.memory.saved(),
            }
            for name, queue in self.by_name.items()
        }
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps({"version": SAVED_AS, "queues": saved}), encoding="utf-8")
        beside.replace(path)

    def restore(self, path: Path) -> None:
        """Take in the messages of a file, if there is one; queues that are no more are dropped."""
        if not path.exists():
            return
        saved: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if saved.get("version") != SAVED_AS:
            report(f"the queued messages in {path} were saved by another version: left out")
            return
        for name in set(saved["queues"]) & set(self.by_name):
            queue = self.by_name[name]
            queue.memory.restore(saved["queues"][name]["sent"])
            for message in saved["queues"][name]["messages"]:
                queue.put(Message(**message))
