"""Timer messages: when they ring, and what becomes of one that cannot be sent."""

import json
import time
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError, ReadTimeoutError

from shared.delivery import timers
from shared.delivery.timers import LEFT_ALONE_S, QueueTimers, delay_s
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


class Silent:
    """A queue that takes nothing and says nothing."""

    def __init__(self) -> None:
        self.asked = 0

    def send_message(self, **_: Any) -> None:  # noqa: ANN401 - AWS's fields
        self.asked += 1
        raise ReadTimeoutError(endpoint_url="https://example.org")


def test_a_queue_that_does_not_answer_keeps_one_waiting_and_not_everybody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[str] = []
    silent, now = Silent(), [100.0]
    monkeypatch.setattr(timers, "client", lambda _: silent)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    queue = QueueTimers("https://queue", lambda name, *, reason: counted.append(reason))
    for _ in range(3):
        queue.send(TableId("t"), NOW, NOW)
    assert silent.asked == 1
    assert counted == ["ReadTimeoutError", "LeftAlone", "LeftAlone"]
    now[0] += LEFT_ALONE_S
    queue.send(TableId("t"), NOW, NOW)
    assert silent.asked == 2


def test_a_queue_that_refuses_is_asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    monkeypatch.setattr(timers, "client", lambda _: Unreachable())
    queue = QueueTimers("https://queue", lambda name, *, reason: counted.append(reason))
    for _ in range(2):
        queue.send(TableId("t"), NOW, NOW)
    assert counted == ["EndpointConnectionError"] * 2
