"""One run of a function: real code that is held at every call of a port, and may end there.

The code runs in a greenlet; what it asks of a port is handed to whoever runs the process, who
lets it wait, fail or die, and decides who comes next meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from greenlet import getcurrent, greenlet

from shared.game.ids import ConnectionId


class Killed(BaseException):
    """The process is over at once, as when a function's time is up: nothing more of it runs."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a process asks of a port; `effect` is what happens when it is let through."""

    kind: str
    """read, query, write, transaction, send, close, or wait."""
    name: str
    effect: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Posting:
    """Letters to connections, each of which has its own fate."""

    letters: dict[ConnectionId, bytes]


Request = Call | Posting


@dataclass(frozen=True, slots=True)
class Cause:
    """What a function was started for: an event, and what of it the referee goes by."""

    key: str
    """The name of the event and its copy, the same in each run."""
    function: str
    event: dict[str, Any]
    action: str = ""
    re: str | None = None
    player: str = ""
    connection: str = ""
    received_at: int = 0
    table: str | None = None
    timers: tuple[tuple[str, int], ...] = ()
    """Of a batch of timer messages: table and instant of each."""


@dataclass(eq=False)
class Process:
    """One run of a function for one event."""

    cause: Cause
    started_at: int
    skew_ms: int = 0
    """How far the clock of this machine is ahead."""
    calls: int = 0
    faults: list[str] = field(default_factory=list)
    bugs: list[BaseException] = field(default_factory=list)
    """What the function logged as a bug; it goes on, or has failed."""
    conflicts: int = 0
    is_killed: bool = False
    failure: BaseException | None = None
    result: Any = None
    ended_at: int | None = None
    thread: greenlet | None = None

    def ask(self, request: Request) -> Any:  # noqa: ANN401 - whatever the port answers
        """The port's answer, once it has come. Raises Killed."""
        if self.is_killed or self.thread is None or self.thread.parent is None:
            raise Killed
        self.calls += 1
        return self.thread.parent.switch(request)

    def start(self, handler: Callable[[Any, Any], Any]) -> Request | None:
        """The first thing that the handler asks; None: it has ended."""

        def run() -> None:
            try:
                self.result = handler(self.cause.event, None)
            except Killed:
                self.is_killed = True
            except Exception as failure:  # noqa: BLE001 - the runtime of Lambda, for which all are alike
                self.failure = failure

        self.thread = greenlet(run, getcurrent())
        return self._next(self.thread.switch())

    def go_on(self, answer: object) -> Request | None:
        """What it asks next, given the answer; None: it has ended."""
        return self._next(self._thread.switch(answer))

    def fail(self, error: BaseException) -> Request | None:
        """What it asks next, given that the call failed; None: it has ended."""
        return self._next(self._thread.throw(error))

    def kill(self) -> None:
        """It has ended."""
        self.is_killed = True
        self._thread.throw(Killed())

    @property
    def is_over(self) -> bool:
        """Whether it has ended, one way or another."""
        return bool(self._thread.dead)

    @property
    def is_done(self) -> bool:
        """Whether it has ended as it should."""
        return self.is_over and self.failure is None and not self.is_killed

    @property
    def _thread(self) -> greenlet:
        if self.thread is None:
            raise ValueError(self.cause.key)
        return self.thread

    def _next(self, request: Request | None) -> Request | None:
        return None if self.is_over else request
