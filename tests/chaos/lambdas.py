"""Lambda, played: boxes that take one event at a time, and calls that meet their fate.

Between any two calls of a process any other may run; a call may wait, fail before or after its
effect, look like somebody else's write, or be the last thing its process does.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from pynamodb.exceptions import GetError, QueryError, TransactWriteError, UpdateError

from shared.game.ids import ConnectionId
from shared.service.ports import AlreadySeated, CodeClash, Conflict, ConnectionLost
from tests.chaos.agenda import Agenda
from tests.chaos.box import Box, Outside
from tests.chaos.fates import Fates
from tests.chaos.handlers import handler_of, run_in
from tests.chaos.process import Call, Cause, Posting, Process, Request
from tests.chaos.weather import USUAL_CALL_MS, USUAL_START_MS, Weather

TIMEOUT_MS: Final = 10_000
"""After how long a function is ended (template.yaml)."""
ANSWERS: Final = (Conflict, AlreadySeated, ConnectionLost, CodeClash)
"""What a port raises because of what it found."""
MOST_SKEW_MS: Final = 12

Ended = Callable[[Process], None]


class Postman(Protocol):
    """Who carries letters, and knows which connections are gone."""

    def carry(
        self, process: Process, connection_id: ConnectionId, payload: bytes, fault: str
    ) -> bool:
        """The letter at its connection; False: that is gone."""
        ...

    def lose(self, process: Process, connection_id: ConnectionId, payload: bytes) -> None:
        """The letter will never arrive."""
        ...


@dataclass
class Lambdas:
    """All functions and their boxes."""

    agenda: Agenda
    fates: Fates
    weather: Weather
    outside: Outside
    postman: Postman
    counts: Counter[str]
    on_start: Ended
    boxes: dict[str, list[Box]] = field(default_factory=lambda: defaultdict(list))
    made: Counter[str] = field(default_factory=Counter)
    running: list[Process] = field(default_factory=list)

    def invoke(self, cause: Cause, on_end: Ended) -> None:
        """The function called with the event, in a moment."""
        ms = self.fates.of(f"{cause.key}/start", USUAL_START_MS, self.weather.start_ms)
        self.agenda.after(ms, lambda: self._start(cause, on_end))

    def restart(self) -> None:
        """A deploy: no box knows anything any more; what runs is run to its end."""
        self.boxes.clear()

    def stop(self) -> None:
        """Whatever still runs is ended."""
        for process in self.running:
            if process.thread is not None and not process.is_over:
                process.kill()

    def let_through(self, process: Process, call: Call, fault: str) -> None:
        """A call of a process has its turn."""
        self.counts[f"step {call.name}"] += 1

    def _start(self, cause: Cause, on_end: Ended) -> None:
        self.counts[f"function {cause.function}"] += 1
        box = self._free_box(cause.function)
        process = Process(cause, self.agenda.now, box.skew_ms)
        box.process = process
        self.running.append(process)
        self.on_start(process)
        run = _Run(self, box, process, on_end)
        run_in(box)
        run.next(process.start(handler_of(cause.function)))

    def _free_box(self, function: str) -> Box:
        for box in self.boxes[function]:
            if box.process is None:
                return box
        self.made[function] += 1
        key = f"box/{function}/{self.made[function]}"
        skew = self.fates.of(key, 0, lambda dice: dice.span(-MOST_SKEW_MS, MOST_SKEW_MS + 1))
        box = Box(self.outside, skew)
        self.boxes[function].append(box)
        return box


@dataclass(slots=True)
class _Run:
    """One process on its way from call to call."""

    lambdas: Lambdas
    box: Box
    process: Process
    on_end: Ended

    def next(self, request: Request | None) -> None:
        """What the process asked for is let through, sooner or later, or it has ended."""
        if request is None:
            self._end()
        elif isinstance(request, Posting):
            self._post(request)
        else:
            self._call(request)

    def _call(self, call: Call) -> None:
        key = f"{self.process.cause.key}:{self.process.calls}"
        if call.kind == "wait":
            fate = self.lambdas.fates.of(key, 10, lambda dice: dice.span(0, 60))
        else:
            weather = self.lambdas.weather
            fate = self.lambdas.fates.of(
                key, USUAL_CALL_MS, lambda dice: weather.call_fate(call.kind, dice)
            )
        ms, fault, after_ms = (fate, "", 0) if isinstance(fate, int) else fate
        self._suffer(f"{call.kind} {fault}" if fault else "")
        if fault == "hang":
            ms = TIMEOUT_MS
        if self._is_too_long(ms):
            return
        self.lambdas.agenda.after(ms, lambda: self._let_through(call, fault, after_ms))

    def _is_too_long(self, ms: int) -> bool:
        """Whether the function's time is up before that; then that is when it ends."""
        last = self.process.started_at + TIMEOUT_MS
        if self.lambdas.agenda.now + ms < last:
            return False
        self.process.faults.append("timed out")
        self.lambdas.agenda.at(last, self._kill)
        return True

    def _let_through(self, call: Call, fault: str, after_ms: int) -> None:
        self.lambdas.let_through(self.process, call, fault)
        if fault == "kill":
            self._kill()
        elif fault == "refuse":
            self._fail(unavailable(call))
        elif fault == "conflict":
            self._fail(UpdateError() if call.name == "connections.open" else Conflict())
        else:
            self._take_effect(call, fault, after_ms)

    def _take_effect(self, call: Call, fault: str, after_ms: int) -> None:
        answer: object = None
        error: Exception | None = None
        run_in(self.box)
        times = {"lost": 0, "double": 2}.get(fault, 1)
        try:
            for _ in range(times):
                answer = call.effect()
        except ANSWERS as found:
            error = found
        if fault == "die":
            self._kill()
            return
        if fault == "stale":
            answer = []  # the index has not heard yet
        if error is None and fault in {"lose", "own"}:
            error = Conflict() if fault == "own" else unavailable(call)
        if self._is_too_long(after_ms):
            return
        self.lambdas.agenda.after(after_ms, lambda: self._answer(answer, error))

    def _answer(self, answer: object, error: Exception | None) -> None:
        if error is None:
            run_in(self.box)
            self.next(self.process.go_on(answer))
        else:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        run_in(self.box)
        self.next(self.process.fail(error))

    def _post(self, posting: Posting) -> None:
        """Every letter on its own; the process goes on when all have arrived or failed."""
        key = f"{self.process.cause.key}:{self.process.calls}"
        weather, fates = self.lambdas.weather, self.lambdas.fates
        self.lambdas.counts["step posts.post"] += 1
        fate = fates.of(key, 0, lambda dice: _posting_fate(weather, dice))
        if fate:
            self._suffer(f"post {fate}")
        if fate == "kill":
            self.lambdas.agenda.after(1, self._kill)
            return
        gone: set[ConnectionId] = set()
        longest = 0
        for number, (connection_id, payload) in enumerate(posting.letters.items()):
            letter = fates.of(f"{key}.{number}", USUAL_CALL_MS, weather.letter_fate)
            ms, fault = (letter, "") if isinstance(letter, int) else letter
            longest = max(longest, ms)
            self._send(connection_id, payload, ms, fault, gone)
        if self._is_too_long(longest):
            return
        end = self._kill if fate == "die" else lambda: self._answer(gone, None)
        self.lambdas.agenda.after(longest, end)

    def _send(
        self,
        connection_id: ConnectionId,
        payload: bytes,
        ms: int,
        fault: str,
        gone: set[ConnectionId],
    ) -> None:
        postman = self.lambdas.postman
        if fault:
            self.lambdas.counts[f"fault letter {fault}"] += 1
        if fault == "lost":
            postman.lose(self.process, connection_id, payload)
            return

        def arrive() -> None:
            if not postman.carry(self.process, connection_id, payload, fault):
                gone.add(connection_id)

        self.lambdas.agenda.after(ms, arrive)
        if fault == "double":
            self.lambdas.agenda.after(ms + 200, arrive)

    def _suffer(self, fault: str) -> None:
        if fault:
            self.process.faults.append(fault)
            self.lambdas.counts[f"fault {fault}"] += 1

    def _kill(self) -> None:
        run_in(self.box)
        self.process.kill()
        self._end()

    def _end(self) -> None:
        self.process.ended_at = self.lambdas.agenda.now
        self.box.process = None
        self.lambdas.running.remove(self.process)
        if self.process.is_killed and self.box in self.lambdas.boxes[self.process.cause.function]:
            self.lambdas.boxes[self.process.cause.function].remove(self.box)
        self.on_end(self.process)


def _posting_fate(weather: Weather, dice: Any) -> str | int:  # noqa: ANN401 - see Dice
    if not dice.chance(weather.call):
        return 0
    return str(dice.weighed({"kill": 4.0, "die": 3.0}))


def unavailable(call: Call) -> Exception:
    """What the store lets through when DynamoDB does not answer, or says 5xx, or throttles."""
    if call.kind in {"read", "query"}:
        return GetError("unavailable") if call.kind == "read" else QueryError("unavailable")
    return TransactWriteError("unavailable") if call.kind == "transaction" else UpdateError("?")
