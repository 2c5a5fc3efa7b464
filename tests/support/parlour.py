"""People at browsers in one room with the system: one time for all of them, and networks to cut.

The system's test clock and the pages' own clocks go on together, from one due instant to the next,
a page always first: what is posted at an instant is heard at that instant.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page

from infra.local.stack import Stack
from tests.e2e.browser_support import Person

GRACE_MS = 20
"""Real time for a page to answer: its browser's pong proves nothing."""
STEP_MS = 1_000
NOTICED_S = 10.0
TOKEN = "tabiya.token"


@dataclass
class Parlour:
    """The running system, and whoever came."""

    stack: Stack
    browser: Browser
    people: list[Person] = field(default_factory=list)
    asleep: dict[Page, CDPSession] = field(default_factory=dict)
    """Pages whose scripts stand still."""

    @classmethod
    @contextmanager
    def open(cls, stack: Stack, browser: Browser) -> Iterator["Parlour"]:
        """An empty one; in the end everybody has left, and no page had an error."""
        parlour = cls(stack, browser)
        try:
            yield parlour
        finally:
            for context in {person.page.context for person in parlour.people}:
                context.close()
        assert [trouble for person in parlour.people for trouble in person.troubles] == []

    # -- coming and going ---------------------------------------------------------------------

    def arrives(self, fast_ms: int = 0, **options: Any) -> Person:  # noqa: ANN401 - Playwright's own options
        """Somebody who has just opened the page, on a device of his own whose clock is fast."""
        context = self.browser.new_context(**({"locale": "en-GB"} | options))
        now = self.stack.now() + fast_ms
        context.clock.install(time=_moment(now - 1))
        context.clock.pause_at(_moment(now))
        return self.opens_tab(context)

    def opens_tab(self, context: BrowserContext) -> Person:
        """Whoever uses that browser, with the page in one more tab."""
        person = Person(context.new_page())
        person.page.on("pageerror", lambda error: person.troubles.append(str(error)))
        self.people.append(person)
        person.page.goto(self.stack.url)
        self.is_linked(person)
        return person

    def takes_device(self, person: Person) -> Person:
        """The same player on another device: he brought his token along."""
        return self.arrives(storage_state=person.page.context.storage_state())

    def closes(self, person: Person) -> None:
        """The tab is closed; the browser goes on."""
        player = self.player(person)
        before = len(self._sockets(player))
        self.people.remove(person)
        person.page.close()
        self._is_noticed(lambda: len(self._sockets(player)) < before)
        self.stack.settle()

    # -- time ---------------------------------------------------------------------------------

    def passes(self, span_ms: int, step_ms: int = STEP_MS) -> None:
        """Time passes for everybody, and all that comes of it is done."""
        end = self.stack.now() + span_ms
        while (now := self.stack.now()) < end:
            due = self.stack.control("GET", "clock")["nextDue"] or end
            step = min(step_ms, end - now, max(1, due - now))
            for page in self._awake():
                page.clock.run_for(step)
            self.stack.advance(step, GRACE_MS)

    def passes_until(self, instant: int) -> None:
        """Time passes up to an instant (epoch ms)."""
        self.passes(instant - self.stack.now())

    def passes_until_seen(self, person: Person, selector: str, limit_ms: int) -> None:
        """Time passes until he sees it."""
        for _ in range(limit_ms // STEP_MS):
            if person.page.is_visible(selector):
                return
            self.passes(STEP_MS)
        raise AssertionError(f"not seen in {limit_ms} ms: {selector}")

    def dozes(self, span_ms: int) -> None:
        """Time passes in one leap: the pages' timers fire once at most, as a laptop's do."""
        for page in self._awake():
            page.clock.fast_forward(span_ms)
        self.stack.advance(span_ms, GRACE_MS)

    def falls_asleep(self, person: Person, span_ms: int) -> None:
        """His page is suspended: for that long, or until it wakes, none of its scripts runs.

        Its clock is where it will be by then: nobody can set it meanwhile.
        """
        page = person.page
        page.clock.fast_forward(span_ms)
        self.stack.settle(GRACE_MS)
        self.asleep[page] = page.context.new_cdp_session(page)
        self.asleep[page].send("Debugger.enable")
        self.asleep[page].send("Debugger.pause")

    def wakes(self, person: Person) -> None:
        """His page goes on with what has come for it meanwhile."""
        self.asleep.pop(person.page).send("Debugger.disable")
        self.is_linked(person)

    def _awake(self) -> list[Page]:
        """One page of each browser: its tabs have one clock between them."""
        pages = {person.page.context: person.page for person in self.people}.values()
        return [page for page in pages if page not in self.asleep]

    # -- networks -----------------------------------------------------------------------------

    def cuts(self, person: Person, how: str) -> None:
        """His network is gone and his sockets are broken: `dead`, nobody told, or `reset`."""
        person.page.context.set_offline(offline=True)
        self.breaks(person, how)

    def breaks(self, person: Person, how: str) -> None:
        """His sockets are broken; his network is there."""
        for connection_id in self.connections(person):
            self.stack.cut(connection_id, how)
        person.page.wait_for_selector("body:not([data-link=open])")
        self.stack.settle()

    def mends(self, person: Person) -> None:
        """His network is back, and so is he."""
        person.page.context.set_offline(offline=False)
        self.is_linked(person)

    def is_linked(self, person: Person) -> None:
        """Waits until his page has been greeted, and all that came of it is done."""
        person.page.wait_for_selector("body[data-link=open]")
        self.stack.settle(GRACE_MS)

    def player(self, person: Person) -> str:
        """Who he is to the server."""
        token: str = person.page.evaluate("key => localStorage.getItem(key)", TOKEN)
        return token.split(".", maxsplit=1)[0]

    def connections(self, person: Person) -> list[str]:
        """His sockets, but for the dead: oldest first."""
        return self._sockets(self.player(person))

    def _sockets(self, player: str) -> list[str]:
        return [
            str(each["id"])
            for each in self.stack.connections()
            if each["principalId"] == player and not each["isGhost"]
        ]

    def _is_noticed(self, is_so: Callable[[], bool]) -> None:
        """Looks until it is so: a browser closes sockets when its tab has long been gone."""
        end = time.monotonic() + NOTICED_S
        while not is_so():
            assert time.monotonic() < end, "the socket is still there"


def _moment(instant: int) -> datetime:
    return datetime.fromtimestamp(instant / 1_000, UTC)
