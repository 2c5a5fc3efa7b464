"""Timer messages: when they ring, and what becomes of one that cannot be sent."""

import json
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from shared.delivery import timers
from shared.delivery.timers import QueueTimers, delay_s
from shared.game.ids import TableId

NOW = 1_800_000_000_000


class Queue:
    """A queue that keeps what it is sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send_message(self, **message: Any) -> None:  # noqa: ANN401 - AWS's fields
        self.sent.append(message)


class Unreachable:
    """No queue at all."""

    def send_message(self, **_: Any) -> None:  # noqa: ANN401 - AWS's fields
        raise EndpointConnectionError(endpoint_url="https://example.org")


@pytest.mark.parametrize(
    ("ahead_ms", "delay"), [(-5_000, 0), (0, 0), (1, 1), (1_000, 1), (1_001, 2), (10**7, 900)]
)
def test_a_timer_never_rings_early_and_never_waits_longer_than_the_queue_lets_it(
    ahead_ms: int, delay: int
) -> None:
    assert delay_s(NOW + ahead_ms, NOW) == delay


def test_a_message_names_the_table_and_the_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue()
    monkeypatch.setattr(timers, "client", lambda _: queue)
    QueueTimers("https://queue", lambda *_, **__: None).send(TableId("t"), NOW + 4_200, NOW)
    [message] = queue.sent
    assert json.loads(message["MessageBody"]) == {"table": "t", "timerAt": NOW + 4_200}
    assert (message["QueueUrl"], message["DelaySeconds"]) == ("https://queue", 5)


def test_a_timer_that_cannot_be_sent_stops_no_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written stands and has to be told; the sweep looks after the table."""
    counted: list[tuple[str, str]] = []
    monkeypatch.setattr(timers, "client", lambda _: Unreachable())
    queue = QueueTimers("https://queue", lambda name, *, reason: counted.append((name, reason)))
    queue.send(TableId("t"), NOW, NOW)
    assert counted == [("timerFailed", "EndpointConnectionError")]
