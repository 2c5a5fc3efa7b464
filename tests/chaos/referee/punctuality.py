"""Timers fire when they are due, and one that was lost is made good within 90 s (section 4)."""

from collections.abc import Callable, Iterable

from shared.game.table import Status
from tests.chaos.agenda import Agenda
from tests.chaos.process import Process
from tests.chaos.referee.ledger import Ledger, Timer
from tests.chaos.referee.timers import MADE_GOOD_MS, PROMPT_MS
from tests.chaos.referee.violation import Violation

AGAIN_MS = 1_000


class Punctuality:
    """Looks at each armed timer when it should have had its effect."""

    def __init__(self, agenda: Agenda, running: Callable[[], Iterable[Process]]) -> None:
        self._agenda = agenda
        self._running = running
        self._sweep_failed_at = 0

    def watch(self, ledger: Ledger, armed_by: Process) -> None:
        """The table was written: if it has another timer, that one is looked after."""
        timer_at = ledger.table.timer_at
        if timer_at is None:
            ledger.timer = None
        elif ledger.timer is None or ledger.timer.at != timer_at:
            timer = ledger.timer = Timer(timer_at, armed_by)
            due = max(timer_at, self._agenda.now)
            self._agenda.at(due + PROMPT_MS, lambda: self._check_prompt(ledger, timer))
            self._agenda.at(due + MADE_GOOD_MS, lambda: self._check_made_good(ledger, timer))

    def trouble(self, ledger: Ledger) -> None:
        """Something goes wrong with the armed timer of that table."""
        if ledger.timer is not None:
            ledger.timer.is_troubled = True

    def sweep_failed(self) -> None:
        """A sweep did not come, or met a fault."""
        self._sweep_failed_at = self._agenda.now

    def _check_prompt(self, ledger: Ledger, timer: Timer) -> None:
        """A timer with which nothing went wrong has had its effect, or is about to."""
        own = (ledger.table.table_id, timer.at)
        if any(own in process.cause.timers for process in self._running()):
            self._agenda.after(AGAIN_MS, lambda: self._check_prompt(ledger, timer))
            return
        is_troubled = timer.is_troubled or timer.armed_by.faults
        if ledger.timer is timer and not is_troubled:
            raise Violation("a timer fires when it is due", table=ledger.table)

    def _check_made_good(self, ledger: Ledger, timer: Timer) -> None:
        """A timer that was lost has been made good, if the sweep was let."""
        if ledger.table.status is Status.OVER or ledger.timer is not timer:
            return
        late_from = max(timer.at, self._sweep_failed_at) + MADE_GOOD_MS
        if self._agenda.now >= late_from:
            raise Violation("a lost timer is made good within 90 s", table=ledger.table)
        self._agenda.at(late_from, lambda: self._check_made_good(ledger, timer))
