"""What a client does by itself as time passes: asks, pings, and claims a fallen flag.

As `web/client/watch.js`, and as docs/protocol has it for tables that wait. Knows no sockets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tests.chaos.head import Said, View
from tests.chaos.timer import Timer

SYNC_MS: Final = 20_000
PING_MS: Final = 480_000
CLAIM_AFTER_MS: Final = 2_250
AFTERWARDS_MS: Final = 300_000
IN_PLAY: Final = {"waiting", "seated", "live"}


@dataclass(eq=False)
class Watch:
    """The timers of one client; `view` is what it shows."""

    now: Callable[[], int]
    after: Callable[[int, Callable[[], None]], Timer]
    view: Callable[[], View | None]
    on_sync: Callable[[], None]
    on_ping: Callable[[], None]
    on_claim: Callable[[], None]
    _head: tuple[Any, ...] | None = None
    _head_at: int = 0
    _claimed: tuple[Any, ...] | None = None
    _beat_timer: Timer | None = None
    _claim_timer: Timer | None = None

    @property
    def is_asking(self) -> bool:
        """Whether this client asks by itself where the table stands."""
        view = self.view()
        if view is None:
            return False
        is_fresh = self.now() - self._head_at < AFTERWARDS_MS
        return view["status"] in IN_PLAY or bool(view.get("rematchOffer")) or is_fresh

    def listen(self, message: Said) -> None:
        """News of this table put the next question off; what is older than the head is none."""
        shown, head = message.get("view") or message, self.view()
        is_here = head is not None and shown.get("table") == head["table"]
        is_news = is_here and head is not None and shown.get("v", -1) >= head["v"]
        if is_news or not self.is_asking:
            self._beat_later()

    def look(self) -> None:
        """There is a new view: the opponent's flag is claimed in good time."""
        view = self.view()
        head = None if view is None else (view["table"], view["v"])
        if head != self._head:
            self._head_at = self.now()
        self._head = head
        is_theirs = view and view["status"] == "live" and view["clock"].get("runs") != view["you"]
        flag_at = view["clock"].get("flagAt") if view and is_theirs else None
        _cancel(self._claim_timer)
        if flag_at is not None:
            self._claim_from(flag_at + CLAIM_AFTER_MS)

    def claim_again(self, instant: int) -> None:
        """The claim came too early; the server says from when on it will not."""
        self._claimed = None
        self._claim_from(instant)

    def stop(self) -> None:
        """Nothing more by itself."""
        _cancel(self._beat_timer)
        _cancel(self._claim_timer)

    def _beat_later(self) -> None:
        _cancel(self._beat_timer)
        self._beat_timer = self.after(SYNC_MS if self.is_asking else PING_MS, self._beat)

    def _beat(self) -> None:
        self._beat_later()
        if self.is_asking:
            self.on_sync()
        else:
            self.on_ping()

    def _claim_from(self, instant: int) -> None:
        _cancel(self._claim_timer)
        self._claim_timer = self.after(max(0, instant - self.now()), self._claim)

    def _claim(self) -> None:
        """Once per ply, unless the server names a later instant."""
        view = self.view()
        if view is None or view["status"] != "live" or view["clock"].get("runs") == view["you"]:
            return
        turn = (view["table"], view["game"], view["ply"])
        if turn != self._claimed:
            self._claimed = turn
            self.on_claim()


def _cancel(timer: Timer | None) -> None:
    if timer is not None:
        timer.cancel()
