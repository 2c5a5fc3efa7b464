"""A telephone or a tab: a client, and what happens to what it runs on.

Its network may be cut, its page suspended, reloaded, closed; it may die and never come back.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from shared.game.ids import ConnectionId
from tests.chaos.agenda import Agenda, Entry
from tests.chaos.client import Client, Surroundings
from tests.chaos.fates import Fates
from tests.chaos.gateway import Gateway, Said, Socket

Act = dict[str, Any]
"""Something done on a device: `at` (ms since the start), `device`, `do`, and its particulars."""
USUAL_JITTER: Final = 0.5


@dataclass(eq=False)
class Device:
    """One device of one player."""

    name: str
    person: str
    player: str
    agenda: Agenda
    gateway: Gateway
    fates: Fates
    counts: Counter[str]
    on_view: Callable[["Device"], None]
    is_cut: bool = False
    is_asleep: bool = False
    is_gone: bool = False
    """Whether it is off for good."""
    disturbed_at: int = 0
    """When something last went wrong for it from which it need not be up to date at once."""
    disturbed_by: str = ""
    pages: int = 0
    client: Client[Socket] = field(init=False)
    _slept: list[Entry] = field(default_factory=list)
    _unheard: list[tuple[Socket, Said]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.client = self._load()

    @property
    def is_fit(self) -> bool:
        """Whether it is connected and nothing holds it up."""
        return self.client.is_open and not (self.is_cut or self.is_asleep or self.is_gone)

    def disturb(self, why: str) -> None:
        """Something has just gone wrong."""
        self.disturbed_at = self.agenda.now
        self.disturbed_by = why

    # ---- what happens to it

    def suffer(self, act: Act) -> None:
        """What the act does to the device; one that is gone suffers nothing."""
        if self.is_gone:
            return
        self.counts[f"nature {act['do']}"] += 1
        self.disturb(act["do"])
        match act["do"]:
            case "open":
                self.client.open()
            case "reload":
                self._reload()
            case "cut":
                self._cut(act)
            case "sleep":
                self.is_asleep = True
                self.agenda.after(act["ms"], self._wake)
            case "absent":
                self.client.stop()
                self.agenda.after(act["ms"], self._come_back)
            case "close":
                self._close()
            case "die":
                self.is_cut = True
                self._close()
            case other:
                raise ValueError(other)

    def _reload(self) -> None:
        self.client.stop()
        self._slept.clear()
        self._unheard.clear()
        self.client = self._load()
        self.client.open()

    def _come_back(self) -> None:
        if not self.is_gone:
            self._reload()

    def _close(self) -> None:
        self.is_gone = True
        self.client.stop()

    def _cut(self, act: Act) -> None:
        if self.is_cut:
            return
        self.is_cut = True
        if act.get("told"):
            self.client.drop()
        self.agenda.after(act["ms"], self._restore)

    def _restore(self) -> None:
        if self.is_gone:
            return
        self.is_cut = False
        self.disturb("network back")
        socket = self.client.socket
        if socket is None or self.client.state != "open":
            return
        self.gateway.restore(socket)
        if not socket.is_open:
            self.lost(socket)

    def _wake(self) -> None:
        if self.is_gone:
            return
        self.is_asleep = False
        self.disturb("woken")
        unheard, self._unheard = self._unheard, []
        for socket, message in unheard:
            self.hear(socket, message)
        slept, self._slept = self._slept, []
        for entry in slept:
            if entry.run is not None:
                entry.run()
        if self.client.state == "open":
            self.client.sync()

    # ---- what comes from the gateway

    def opened(self, socket: Socket) -> None:
        """The handshake is done."""
        self.disturb("opened")
        if self.client.socket is socket:
            self.client.opened()
        else:
            self.gateway.leave(socket)

    def hear(self, socket: Socket, message: Said) -> None:
        """A message has arrived."""
        if self.client.socket is not socket:
            return
        if self.is_asleep:
            self._unheard.append((socket, message))
            return
        was_welcome = self.client.is_welcome
        self.client.hear(message)
        if self.client.is_welcome != was_welcome:
            self.disturb("welcome")

    def lost(self, socket: Socket) -> None:
        """The socket is closed."""
        if self.client.socket is socket:
            self.disturb("socket lost")
            self.client.drop()

    # ---- what the client runs on

    def _load(self) -> Client[Socket]:
        self.pages += 1
        surroundings = Surroundings(
            name=self.name,
            now=lambda: self.agenda.now,
            after=self._after,
            dial=lambda name: self.gateway.dial(self, ConnectionId(name)),
            say=self.gateway.say,
            leave=self.gateway.leave,
            jitter=self._jitter,
            on_view=lambda: self.on_view(self),
        )
        return Client(surroundings, self.pages)

    def _after(self, ms: int, run: Callable[[], None]) -> Entry:
        """A timer; while the page is suspended it waits."""

        def fire() -> None:
            if self.is_asleep:
                self._slept.append(entry)
            else:
                run()

        entry = self.agenda.after(ms, fire)
        return entry

    def _jitter(self, key: str) -> float:
        jitter: float = self.fates.of(key, USUAL_JITTER, lambda dice: round(dice.unit(), 3))
        return jitter
