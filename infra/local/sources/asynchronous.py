"""Invokes functions for events that nobody waits for, as Lambda's own queue of such events does.

Knows retries (after one minute, then two), the age at which an event is given up, and that each
attempt has the same request id. Events that wait for a retry are saved on a clean stop.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from infra.local.ids import uuid_text
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function, Functions
from infra.local.lambdas.invocation import Outcome
from infra.local.lambdas.qualifiers import LATEST
from infra.local.logs import report
from infra.local.sources.deliveries import Tools
from infra.local.sources.handling import Handling, Handlings
from infra.local.sources.last_words import (
    EVENT_AGE_EXCEEDED,
    RETRIES_EXHAUSTED,
    SUCCESS,
    Invocation,
    dead_letter_attributes,
    record,
)
from infra.local.sources.messages import Outgoing

# Lambda developer guide, "How Lambda handles errors and retries with asynchronous invocation".
RETRY_AFTER_MS: Final = (60_000, 120_000)


@dataclass(slots=True, eq=False)
class Pending:
    """An event that was accepted and neither handled nor given up. Instants in epoch ms."""

    function: str
    qualifier: str
    event: Json
    request_id: str
    accepted_at: int
    due: int
    attempts: int = 0


class Asynchronous:
    """The events that nobody waits for, of all functions."""

    def __init__(self, functions: Functions, tools: Tools) -> None:
        self.handlings = Handlings()
        self._functions = functions
        self._tools = tools
        self._pending: list[Pending] = []
        self._running: set[asyncio.Task[None]] = set()

    def send(self, function: Function, event: Json, qualifier: str = LATEST) -> str:
        """Accept an event; return the request id that each attempt will have.

        It may come late or twice, as the switches want it: the second copy is the same request.
        """
        now, request_id = self._tools.agenda.clock.now(), uuid_text()
        due = now + self._tools.chance.late_ms("tick")
        pending = Pending(function.logical_id, qualifier, event, request_id, now, due)
        self._accept(pending)
        again = self._tools.chance.again_ms("tick")
        if again is not None:
            self._accept(replace(pending, due=due + again))
        return request_id

    def stop(self, path: Path) -> None:
        """Write the events that are neither handled nor given up to a file.

        An attempt that is under way does not count: it is made again.
        """
        for task in self._running:
            task.cancel()
        beside = path.with_suffix(".new")
        saved = [asdict(pending) for pending in self._pending]
        beside.write_text(json.dumps(saved), encoding="utf-8")
        beside.replace(path)

    def restore(self, path: Path) -> None:
        """Go on with the events of a file, if there is one; functions that are no more are not."""
        if not path.exists():
            return
        saved: list[Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        for pending in (Pending(**one) for one in saved):
            if pending.function in self._functions.by_id:
                self._accept(pending)

    def _accept(self, pending: Pending) -> None:
        self._pending.append(pending)
        if pending.due <= self._tools.agenda.clock.now():
            self._attempt(pending)
        else:
            self._tools.agenda.at(pending.due, partial(self._attempt, pending))

    def _attempt(self, pending: Pending) -> None:
        self._tools.quiet.enter()
        task = asyncio.ensure_future(self._run(pending))
        self._running.add(task)
        task.add_done_callback(self._ran)

    def _ran(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._tools.quiet.leave()
        if not task.cancelled():
            task.result()

    async def _run(self, pending: Pending) -> None:
        function = self._functions.by_id[pending.function]
        outcome = await self._tools.invoker.invoke(function, pending.event, pending.request_id)
        pending.attempts += 1
        handling = self.handlings.of(pending.function, pending.qualifier)
        if outcome.error is None:
            self._finish(pending, SUCCESS, outcome)
        elif pending.attempts > handling.most_retries:
            self._finish(pending, RETRIES_EXHAUSTED, outcome)
        elif not self._is_retried(pending, handling):
            self._finish(pending, EVENT_AGE_EXCEEDED, outcome)

    def _is_retried(self, pending: Pending, handling: Handling) -> bool:
        """Plan the next attempt, unless the event would be too old by then: nobody waits for that.

        Observed by localstack (test_lambda_destinations, test_maxeventage, validated on AWS).
        """
        agenda = self._tools.agenda
        due = agenda.clock.now() + RETRY_AFTER_MS[pending.attempts - 1]
        if due - pending.accepted_at >= handling.oldest_ms:
            return False
        pending.due = due
        agenda.at(due, partial(self._attempt, pending))
        return True

    def _finish(self, pending: Pending, condition: str, outcome: Outcome) -> None:
        self._pending.remove(pending)
        handling = self.handlings.of(pending.function, pending.qualifier)
        if outcome.error is not None:
            report(f"{pending.function}: event {pending.request_id} is given up: {condition}")
            self._bury(pending, handling, outcome)
        tell = handling.on_success if outcome.error is None else handling.on_failure
        if tell is not None:
            arn = f"{self._functions.by_id[pending.function].arn}:{pending.qualifier}"
            about = Invocation(pending.request_id, arn, pending.event, pending.attempts)
            tell(record(about, condition, outcome, self._tools.agenda.clock.now()))

    def _bury(self, pending: Pending, handling: Handling, outcome: Outcome) -> None:
        if handling.dead_letters is not None and outcome.error is not None:
            attributes = dead_letter_attributes(outcome.error, pending.request_id)
            handling.dead_letters.send(Outgoing(json.dumps(pending.event), attributes))
