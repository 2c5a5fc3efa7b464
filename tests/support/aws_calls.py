"""Every AWS call of this process, counted at the botocore layer, with the capacity it consumed."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.client import BaseClient

_READS = frozenset({"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"})
_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})


@dataclass
class Spent:
    """Calls by operation, and DynamoDB's read and write units."""

    calls: Counter[str] = field(default_factory=Counter)
    read_units: float = 0.0
    write_units: float = 0.0

    def add(self, operation: str, answer: dict[str, Any]) -> None:
        """One call more."""
        self.calls[operation] += 1
        consumed = answer.get("ConsumedCapacity", [])
        listed = consumed if isinstance(consumed, list) else [consumed]
        units = sum(float(one["CapacityUnits"]) for one in listed)
        if operation in _READS:
            self.read_units += units
        else:
            self.write_units += units


@contextmanager
def spending() -> Iterator[Spent]:
    """What is spent within the block; every DynamoDB call is asked what it consumed."""
    spent, call = Spent(), BaseClient._make_api_call  # type: ignore[attr-defined]

    def counted(client: BaseClient, operation: str, asked: dict[str, Any]) -> Any:  # noqa: ANN401 - botocore's
        if operation in _READS | _WRITES:
            asked = asked | {"ReturnConsumedCapacity": "TOTAL"}
        answer = call(client, operation, asked)
        spent.add(operation, answer)
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseClient, "_make_api_call", counted)
        yield spent
