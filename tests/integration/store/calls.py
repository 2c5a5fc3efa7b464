"""Every call to DynamoDB, seen at the botocore layer: what was asked and what it consumed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from shared.store.models import TableRow, table_of


@dataclass
class Calls:
    """The calls made so far, in order."""

    operations: list[str] = field(default_factory=list)
    units: list[float] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    def asked(self, params: dict[str, Any], **_: object) -> None:
        """One call about to be sent."""
        self.tokens.append(json.loads(params["body"]).get("ClientRequestToken", ""))

    def answered(self, parsed: dict[str, Any], model: Any, **_: object) -> None:  # noqa: ANN401 - botocore's
        """One call answered."""
        consumed = parsed.get("ConsumedCapacity", {})
        listed = consumed if isinstance(consumed, list) else [consumed]
        self.operations.append(model.name)
        self.units.append(sum(one.get("CapacityUnits", 0.0) for one in listed))


@contextmanager
def counted() -> Iterator[Calls]:
    """The calls of the store within the block."""
    calls = Calls()
    events = table_of(TableRow).connection.client.meta.events
    events.register("before-call.dynamodb", calls.asked)
    events.register("after-call.dynamodb", calls.answered)
    try:
        yield calls
    finally:
        events.unregister("before-call.dynamodb", calls.asked)
        events.unregister("after-call.dynamodb", calls.answered)
