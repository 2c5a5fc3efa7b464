"""A correct client, as docs/protocol has it: one player, one socket, one table.

Sends again what is not answered, fills gaps, asks after 20 s of silence, answers probes from the
message handler, claims fallen flags, comes back when its socket drops. As `web/tabiya-client.js`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

import msgspec

from tests.chaos.head import Said, Verdict, View, follow
from tests.chaos.outbox import Outbox
from tests.chaos.timer import Timer
from tests.chaos.watch import Watch

FIRST_DELAY_MS: Final = 500
LONGEST_DELAY_MS: Final = 30_000
HANDSHAKE_MS: Final = 10_000
DEAD_MS: Final = 8_000
GAP_MS: Final = 500
ID_LENGTH: Final = 16
Socket = TypeVar("Socket")
"""One open WebSocket, of the simulated gateway or of a real one."""


@dataclass(frozen=True, slots=True)
class Surroundings(Generic[Socket]):
    """What a client is run on."""

    name: str
    now: Callable[[], int]
    after: Callable[[int, Callable[[], None]], Timer]
    dial: Callable[[str], Socket]
    say: Callable[[Socket, str], None]
    leave: Callable[[Socket], None]
    jitter: Callable[[str], float]
    """From 0 to 1, by the name of what it is for."""
    on_view: Callable[[], None]


@dataclass(eq=False)
class Client(Generic[Socket]):
    """One page's client, from load to unload; `number` is how often the page was loaded."""

    on: Surroundings[Socket]
    number: int = 1
    socket: Socket | None = None
    state: str = "idle"
    """idle, connecting, open, waiting, or stopped."""
    is_welcome: bool = False
    view: View | None = None
    ahead: dict[int, Said] = field(default_factory=dict)
    missing_v: int = 0
    sockets: int = 0
    failures: int = 0
    ids: int = 0
    heard_at: int = 0
    hello_id: str = ""
    sync_id: str = ""
    view_at_opening: View | None = None
    outbox: Outbox = field(init=False)
    watch: Watch = field(init=False)
    _link_timer: Timer | None = None
    _gap_timer: Timer | None = None

    def __post_init__(self) -> None:
        self.outbox = Outbox(self.on.after, self.on.now, self._transmit, self._suspect)
        self.watch = Watch(
            now=self.on.now,
            after=self.on.after,
            view=lambda: self.view,
            on_sync=self.sync,
            on_ping=lambda: self.say("ping", self._new_id()),
            on_claim=lambda: self.act("claimFlag", self._new_id()),
        )

    @property
    def is_open(self) -> bool:
        """Whether there is a socket over which the server has answered."""
        return self.state == "open" and self.is_welcome

    # ---- the socket

    def open(self) -> None:
        """A socket now, unless there is one."""
        if self.state in {"connecting", "open", "stopped"}:
            return
        self.sockets += 1
        self.state = "connecting"
        self.socket = self.on.dial(f"{self.on.name}.{self.number}.{self.sockets}=")
        self._set_link_timer(HANDSHAKE_MS, self.drop)

    def opened(self) -> None:
        """The handshake is done: say hello, and whatever was left unsaid."""
        self._cancel(self._link_timer)
        self.state = "open"
        self.is_welcome = False
        self.heard_at = self.on.now()
        self.outbox.renew()
        self.view_at_opening = self.view
        self.outbox.answer(self.sync_id)
        self._say_hello()
        self.outbox.flush()

    def drop(self) -> None:
        """This socket is no good any more: a new one, a little later each time."""
        if self.state == "stopped":
            return
        self._abandon()
        delay = min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2**self.failures)
        self.failures += 1
        jitter = self.on.jitter(f"{self.on.name}.{self.number}/back{self.sockets}")
        self.state = "waiting"
        self._set_link_timer(int(delay * (0.5 + jitter / 2)), self.open)

    def stop(self) -> None:
        """No socket any more, and none to come; nothing is waited for."""
        self._abandon()
        self.state = "stopped"
        self._cancel(self._link_timer)
        self._cancel(self._gap_timer)
        self.watch.stop()
        self.outbox.clear()

    # ---- saying

    def say(self, action: str, action_id: str, **fields: object) -> None:
        """An action, until it is answered."""
        said = {"action": action, "id": action_id, **fields}
        self.outbox.put(action_id, action, msgspec.json.encode(said).decode())

    def act(self, action: str, action_id: str, **fields: object) -> None:
        """An in-game action at what is shown; `fields` may say otherwise."""
        if self.view is not None:
            at = {"table": self.view["table"], "game": self.view["game"], "ply": self.view["ply"]}
            self.say(action, action_id, **(at | fields))

    def sync(self, table: str | None = None) -> None:
        """Asks where the table stands; what was asked before is asked no more."""
        shown = self.view["table"] if self.view else None
        table = table or shown
        if table is None:
            return
        self.outbox.answer(self.sync_id)
        self.sync_id = self._new_id()
        v = self.view["v"] if self.view and table == shown else 0
        self.say("sync", self.sync_id, table=table, v=v)

    # ---- hearing

    def hear(self, message: Said) -> None:
        """A message from the socket; the gateway's own frames are no answer to anything."""
        self.heard_at = self.on.now()
        event = message.get("event")
        if event is None:
            return
        re = message.get("re")
        if event == "refused" and self._is_no_answer(message, re):
            return
        answered = self.outbox.answer(re) if re else None
        if event == "hello":
            self._welcome(message)
        elif event == "probe":
            self.sync(message["table"])
        elif event == "replaced":
            self.stop()
        elif event == "refused":
            self._refused(message, answered)
        else:
            self._take(message, answered)
        if self.state != "stopped":
            self.watch.listen(message)

    def _take(self, message: Said, answered: str | None = None) -> None:
        verdict, view = follow(self.view, message, answered)
        if verdict is Verdict.TAKEN:
            self._hold(view)
        elif verdict is Verdict.GAP:
            self._hold_back(message)

    def _hold(self, view: View | None) -> None:
        self.view = view
        self.watch.look()
        self.on.on_view()
        self._catch_up()

    def _hold_back(self, message: Said) -> None:
        self.missing_v = max(self.missing_v, message["v"])
        if message["event"] == "moved":
            self.ahead[message["v"]] = message
        if self._gap_timer is None:
            self._gap_timer = self.on.after(GAP_MS, self._ask_for_missing)

    def _ask_for_missing(self) -> None:
        self._gap_timer = None
        if self.view is not None and self.missing_v > self.view["v"]:
            self.sync()

    def _catch_up(self) -> None:
        for v in sorted(self.ahead):
            message = self.ahead[v]
            is_here = self.view is not None and message["table"] == self.view["table"]
            head = self.view["v"] if self.view else 0
            if is_here and v > head + 1:
                return
            del self.ahead[v]
            if is_here and v == head + 1:
                self._take(message)
                return
        if self.view is None or self.missing_v <= self.view["v"]:
            self.missing_v = 0
            self._cancel(self._gap_timer)
            self._gap_timer = None

    def _welcome(self, message: Said) -> None:
        self.is_welcome = True
        self.failures = 0
        if message.get("view"):
            self._take(message, "hello")
        elif self.view is self.view_at_opening:
            self._hold(None)
        self.outbox.flush()

    def _refused(self, message: Said, answered: str | None) -> None:
        code, parameters = message["code"], message.get("parameters", {})
        if "table" in message:
            self._take(message, answered)
        held = parameters.get("table")
        if code == "seatHeld" and (self.view is None or held != self.view["table"]):
            self._say_hello()
        if code == "tableNotFound" and answered == "sync":
            self._hold(None)
        if code == "tooEarly" and "dueAt" in parameters:
            self.watch.claim_again(parameters["dueAt"])

    def _is_no_answer(self, message: Said, re: str | None) -> bool:
        if re is None:
            return False
        if message["code"] == "busy":
            return self.outbox.postpone(re)
        if message["code"] != "connectionLost" or re not in self.outbox.entries:
            return False
        self.drop()
        return True

    # ---- below

    def _say_hello(self) -> None:
        self.outbox.answer(self.hello_id)
        self.hello_id = self._new_id()
        self.say("hello", self.hello_id)

    def _new_id(self) -> str:
        self.ids += 1
        return f"{self.on.name}-{self.number}-{self.ids:04d}".ljust(ID_LENGTH, "_")

    def _transmit(self, text: str) -> bool:
        if self.state != "open" or self.socket is None:
            return False
        self.on.say(self.socket, text)
        return True

    def _suspect(self, sent_at: int) -> None:
        """Something is sent again: if nothing at all came in since, the socket is dead."""
        is_silent = self.heard_at <= sent_at and self.on.now() - sent_at >= DEAD_MS
        if is_silent and self.state == "open":
            self.drop()

    def _abandon(self) -> None:
        if self.socket is not None:
            self.on.leave(self.socket)
            self.socket = None

    def _set_link_timer(self, ms: int, run: Callable[[], None]) -> None:
        self._cancel(self._link_timer)
        self._link_timer = self.on.after(ms, run)

    def _cancel(self, timer: Timer | None) -> None:
        if timer is not None:
            timer.cancel()
