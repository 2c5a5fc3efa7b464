"""The functions on a memory: what stands where the composition root puts the adapters."""

from collections.abc import Iterator

import pytest
from aws_lambda_powertools import Metrics

from shared.runtime import entry, telemetry, timers
from tests.support.seats import Seats


@pytest.fixture(autouse=True)
def metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counters with a name space, which a deployment gets from its environment."""
    monkeypatch.setattr(telemetry, "_metrics", Metrics(namespace="Tabiya"))


@pytest.fixture
def seats() -> Iterator[Seats]:
    """Anna and Ben in a live game, behind the wrapper."""
    seats = Seats()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry, "world", lambda: seats.world)
        patch.setattr(timers, "world", lambda: seats.world)
        yield seats
