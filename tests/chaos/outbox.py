"""Actions of a client until they are answered: sent again, under the same id, later and later.

As `web/client/outbox.js`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.chaos.timer import Timer

FIRST_WAIT_MS: Final = 3_000
LONGEST_WAIT_MS: Final = 24_000
BUSY_WAIT_MS: Final = 1_000
MOST_POSTPONED: Final = 5


@dataclass(eq=False)
class Unanswered:
    """One action."""

    action: str
    text: str
    tries: int = 0
    postponed: int = 0
    sent_at: int | None = None
    timer: Timer | None = None


@dataclass
class Outbox:
    """What a client waits to hear about; `transmit` says whether it could send."""

    after: Callable[[int, Callable[[], None]], Timer]
    now: Callable[[], int]
    transmit: Callable[[str], bool]
    on_silence: Callable[[int], None]
    entries: dict[str, Unanswered] = field(default_factory=dict)

    def put(self, action_id: str, action: str, text: str) -> None:
        """Sends it until it is answered."""
        entry = self.entries[action_id] = Unanswered(action, text)
        self._send(entry)

    def answer(self, action_id: str) -> str | None:
        """The answer has come, or nobody waits for it: the action that it was."""
        entry = self.entries.pop(action_id, None)
        if entry is None:
            return None
        if entry.timer is not None:
            entry.timer.cancel()
        return entry.action

    def postpone(self, action_id: str) -> bool:
        """The server was too busy: once more in a moment; False: that was often enough."""
        entry = self.entries.get(action_id)
        if entry is None or entry.postponed >= MOST_POSTPONED:
            return False
        entry.postponed += 1
        self._arm(entry, BUSY_WAIT_MS)
        return True

    def renew(self) -> None:
        """There is a new socket: nothing was sent over it yet."""
        for entry in self.entries.values():
            if entry.timer is not None:
                entry.timer.cancel()
            entry.tries = 0
            entry.sent_at = None

    def flush(self) -> None:
        """Everything that was not sent over this socket goes out, in its order."""
        for entry in list(self.entries.values()):
            if entry.sent_at is None:
                self._send(entry)

    def clear(self) -> None:
        """Gives up on everything."""
        for action_id in list(self.entries):
            self.answer(action_id)

    def _send(self, entry: Unanswered) -> None:
        if not self.transmit(entry.text):
            return
        entry.sent_at = self.now() if entry.sent_at is None else entry.sent_at
        self._arm(entry, min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2**entry.tries))
        entry.tries += 1

    def _arm(self, entry: Unanswered, ms: int) -> None:
        if entry.timer is not None:
            entry.timer.cancel()
        entry.timer = self.after(ms, lambda: self._again(entry))

    def _again(self, entry: Unanswered) -> None:
        if entry.sent_at is not None:
            self.on_silence(entry.sent_at)
        self._send(entry)
