"""SQS and the schedule, played: timer messages and the sweep, late, doubled, lost.

A message that was not dealt with comes into sight again, five times in all.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from shared.game.ids import TableId
from tests.chaos.agenda import Agenda
from tests.chaos.fates import Fates
from tests.chaos.gateway import Invoke
from tests.chaos.process import Cause, Process
from tests.chaos.weather import USUAL_QUEUE_MS, Weather

MINUTE_MS: Final = 60_000
VISIBILITY_MS: Final = 60_000
MOST_RECEIVES: Final = 5
BATCH_SIZE: Final = 10
LATE_SWEEP_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Message:
    """One copy of a timer message, and how often it has been received."""

    name: str
    table_id: TableId
    timer_at: int
    receives: int = 1

    @property
    def body(self) -> str:
        """Its text."""
        return json.dumps({"table": self.table_id, "timerAt": self.timer_at})


@dataclass(eq=False)
class Sources:
    """Everything that calls functions of its own accord."""

    agenda: Agenda
    fates: Fates
    weather: Weather
    counts: Counter[str]
    invoke: Invoke
    on_sent: Callable[[TableId, int, list[int]], None]
    """Hears of a message: table, instant, and how late each of its copies is."""
    on_done: Callable[[Process], None]
    on_sweep_failed: Callable[[], None]
    _sent: Counter[str] = field(default_factory=Counter)
    _waiting: list[Message] = field(default_factory=list)

    def start(self, until: int) -> None:
        """A sweep every minute from now on."""
        for minute in range(1, (until - self.agenda.now) // MINUTE_MS + 1):
            self.agenda.after(minute * MINUTE_MS, partial(self._sweep, minute))

    def send(self, table_id: TableId, timer_at: int, delay_ms: int) -> None:
        """A timer message, to be delivered after the delay."""
        self._sent[table_id] += 1
        key = f"timer/{table_id[:6]}/{self._sent[table_id]}"
        delays = self.fates.of(f"{key}/late", [USUAL_QUEUE_MS], self.weather.queue_delays)
        if delays != [USUAL_QUEUE_MS]:
            self.counts[f"fault queue {_how(delays)}"] += 1
        self.on_sent(table_id, timer_at, delays)
        for number, late_ms in enumerate(delays, 1):
            message = Message(f"{key}.{number}", table_id, timer_at)
            self.agenda.after(delay_ms + late_ms, partial(self._receive, message))

    def _receive(self, message: Message) -> None:
        """A message in sight: for a while it may wait for others, to be one batch with them."""
        key = f"{message.name}#{message.receives}/batch"
        ms = self.fates.of(key, 0, self.weather.batch_ms)
        self._waiting.append(message)
        if ms:
            self.agenda.after(ms, self._deliver)
        else:
            self._deliver()

    def _deliver(self) -> None:
        """Everything in sight, at most ten, to one function."""
        batch, self._waiting = self._waiting[:BATCH_SIZE], self._waiting[BATCH_SIZE:]
        if not batch:
            return
        if len(batch) > 1:
            self.counts["queue batch"] += 1
        records = [{"messageId": message.name, "body": message.body} for message in batch]
        cause = Cause(
            f"{batch[0].name}#{batch[0].receives}",
            "timeout",
            {"Records": records},
            timers=tuple((message.table_id, message.timer_at) for message in batch),
        )
        self.invoke(cause, partial(self._handled, batch))

    def _handled(self, batch: list[Message], process: Process) -> None:
        """What was not dealt with comes into sight again."""
        self.on_done(process)
        failed = {message.name for message in batch}
        if process.is_done:
            failed = {item["itemIdentifier"] for item in process.result["batchItemFailures"]}
        for message in batch:
            if message.name in failed and message.receives < MOST_RECEIVES:
                again = replace(message, receives=message.receives + 1)
                self.agenda.after(VISIBILITY_MS, partial(self._receive, again))

    def _sweep(self, minute: int) -> None:
        delays = self.fates.of(f"sweep/{minute}", [0], self.weather.sweep_delays)
        if delays != [0]:
            kind = "missed" if not delays else _how(delays)
            self.counts[f"fault sweep {kind}"] += 1
        if not delays or delays[0] > LATE_SWEEP_MS:
            self.on_sweep_failed()
        for number, ms in enumerate(delays, 1):
            cause = Cause(f"sweep/{minute}#{number}", "sweep", {})
            self.agenda.after(ms, partial(self.invoke, cause, self._swept))

    def _swept(self, process: Process) -> None:
        self.on_done(process)
        if process.faults or not process.is_done:
            self.on_sweep_failed()


def _how(delays: list[int]) -> str:
    return {0: "lost", 1: "late"}.get(len(delays), "double")
