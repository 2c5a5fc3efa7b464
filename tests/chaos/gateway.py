"""API Gateway, played: sockets, the events they cause, and `@connections`.

The messages of a connection are handled side by side; a post to a connection whose network is dead
succeeds; the end of a connection is told late, twice or never.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol

import msgspec

from shared.game.ids import ConnectionId
from tests.chaos.agenda import Agenda
from tests.chaos.fates import Fates
from tests.chaos.process import Cause, Process
from tests.chaos.weather import USUAL_GOODBYE_MS, USUAL_LINK_MS, Weather
from tests.support.handlers import function_of

IDLE_MS: Final = 600_000
LONGEST_MS: Final = 7_200_000
USUAL_NOTICED_MS: Final = 30_000
"""After how long a socket that was given up on a dead network is found closed."""
FRAME: Final = {"message": "Internal server error", "connectionId": "?", "requestId": "?"}
Said = dict[str, Any]


class End(Protocol):
    """The device at the other end of a socket."""

    name: str
    player: str
    is_cut: bool

    def opened(self, socket: "Socket") -> None:
        """The handshake is done."""
        ...

    def hear(self, socket: "Socket", message: Said) -> None:
        """A message has arrived."""
        ...

    def lost(self, socket: "Socket") -> None:
        """The socket is closed, or was never opened."""
        ...


@dataclass(eq=False)
class Socket:
    """One WebSocket, with what is still on its way while the network is cut."""

    connection_id: ConnectionId
    end: End
    is_open: bool = False
    """As the gateway sees it."""
    used_at: int = 0
    sent_up: int = 0
    sent_down: int = 0
    up_at: int = 0
    down_at: int = 0
    held_up: list[str] = field(default_factory=list)
    held_down: list[Said] = field(default_factory=list)


class Invoke(Protocol):
    """Calls a function."""

    def __call__(self, cause: Cause, on_end: Callable[[Process], None]) -> None:
        """The function called with the event of that cause."""
        ...


@dataclass
class Gateway:
    """All sockets."""

    agenda: Agenda
    fates: Fates
    weather: Weather
    counts: Counter[str]
    skew_ms: int = 0
    sockets: dict[ConnectionId, Socket] = field(default_factory=dict)
    arrivals: Counter[str] = field(default_factory=Counter)
    invoke: Invoke | None = None
    on_done: Callable[[Process], None] | None = None
    """Whoever looks at what has become of a process."""

    def dial(self, end: End, connection_id: ConnectionId) -> Socket:
        """A handshake begun."""
        socket = Socket(connection_id, end)
        self.sockets[connection_id] = socket
        if not end.is_cut:
            self.agenda.after(self._link(f"{connection_id}/dial"), lambda: self._connect(socket))
        return socket

    def say(self, socket: Socket, text: str) -> None:
        """Something said by the device."""
        if socket.end.is_cut:
            socket.held_up.append(text)
            return
        socket.sent_up += 1
        ms = self._link(f"{socket.connection_id}/up{socket.sent_up}")
        socket.up_at = max(socket.up_at, self.agenda.now + ms)
        self.agenda.at(socket.up_at, lambda: self._hear(socket, text))

    def leave(self, socket: Socket) -> None:
        """The device closes its end; heard of at once, unless the network is cut."""
        ms = USUAL_LINK_MS
        if socket.end.is_cut:
            key = f"{socket.connection_id}/noticed"
            ms = self.fates.of(key, USUAL_NOTICED_MS, lambda dice: dice.stretch(500, 300_000))
        self.agenda.after(ms, lambda: self.end(socket))

    def restore(self, socket: Socket) -> None:
        """The network is back: what was held back goes on its way."""
        for text in socket.held_up:
            self.say(socket, text)
        for message in socket.held_down:
            self._deliver(socket, message)
        socket.held_up.clear()
        socket.held_down.clear()

    def end(self, socket: Socket) -> None:
        """The gateway has noticed that the socket is closed, and tells, if at all."""
        if not socket.is_open:
            return
        socket.is_open = False
        delays = self.fates.of(
            f"{socket.connection_id}/goodbye", [USUAL_GOODBYE_MS], self.weather.goodbye_delays
        )
        if delays != [USUAL_GOODBYE_MS]:
            kind = {0: "lost", 1: "late"}.get(len(delays), "double")
            self.counts[f"fault goodbye {kind}"] += 1
        at = self._stamp()
        for number, ms in enumerate(delays, 1):
            key = f"goodbye/{socket.connection_id}#{number}"
            cause = self._cause(key, "disconnect", socket, at)
            self.agenda.after(ms, partial(self._invoke, cause, self._done))
        if not socket.end.is_cut:
            self.agenda.after(USUAL_LINK_MS, lambda: socket.end.lost(socket))

    def close(self, connection_id: ConnectionId) -> None:
        """A connection closed by the server."""
        socket = self.sockets.get(connection_id)
        if socket is not None:
            self.end(socket)

    def carry(self, connection_id: ConnectionId, message: Said) -> bool:
        """The message on its way to the device; False: the connection is gone."""
        socket = self.sockets.get(connection_id)
        if socket is None or not socket.is_open:
            return False
        socket.used_at = self.agenda.now
        self._deliver(socket, message)
        return True

    def _connect(self, socket: Socket) -> None:
        cause = self._cause(f"connect/{socket.connection_id}", "connect", socket, self._stamp())

        def answered(process: Process) -> None:
            self._done(process)
            if process.is_done:
                self._opened(socket)
            elif not socket.end.is_cut:
                self.agenda.after(USUAL_LINK_MS, lambda: socket.end.lost(socket))

        self._invoke(cause, answered)

    def _opened(self, socket: Socket) -> None:
        socket.is_open = True
        socket.used_at = self.agenda.now
        self.agenda.after(LONGEST_MS, lambda: self.end(socket))
        self.agenda.after(IDLE_MS, lambda: self._check_idle(socket))
        if not socket.end.is_cut:
            self.agenda.after(USUAL_LINK_MS, lambda: socket.end.opened(socket))

    def _check_idle(self, socket: Socket) -> None:
        if self.agenda.now - socket.used_at >= IDLE_MS:
            self.end(socket)
        elif socket.is_open:
            self.agenda.at(socket.used_at + IDLE_MS, lambda: self._check_idle(socket))

    def _hear(self, socket: Socket, text: str) -> None:
        if not socket.is_open:
            return
        socket.used_at = self.agenda.now
        said = msgspec.json.decode(text)
        action, re = said["action"], said["id"]
        self.arrivals[re] += 1
        at = self._stamp()
        event = self._event(socket, at)
        event["body"] = text
        cause = Cause(
            key=f"{action}/{re}#{self.arrivals[re]}",
            function=function_of(action),
            event=event,
            action=action,
            re=re,
            player=socket.end.player,
            connection=socket.connection_id,
            received_at=at,
            table=said.get("table"),
        )

        def answered(process: Process) -> None:
            self._done(process)
            if not process.is_done and socket.is_open:
                self._deliver(socket, FRAME)

        self._invoke(cause, answered)

    def _deliver(self, socket: Socket, message: Said) -> None:
        if socket.end.is_cut:
            socket.held_down.append(message)
            return
        socket.sent_down += 1
        ms = self._link(f"{socket.connection_id}/down{socket.sent_down}")
        socket.down_at = max(socket.down_at, self.agenda.now + ms)
        self.agenda.at(socket.down_at, lambda: self._arrive(socket, message))

    def _arrive(self, socket: Socket, message: Said) -> None:
        if socket.end.is_cut:
            socket.held_down.append(message)
        else:
            socket.end.hear(socket, message)

    def _event(self, socket: Socket, at: int) -> Said:
        return {
            "requestContext": {
                "connectionId": socket.connection_id,
                "requestTimeEpoch": at,
                "authorizer": {
                    "playerId": socket.end.player,
                    "version": "1.0.0",
                    "platform": "web",
                    "language": "en",
                },
                "identity": {"sourceIp": socket.end.name},
            }
        }

    def _cause(self, key: str, function: str, socket: Socket, at: int) -> Cause:
        return Cause(
            key=key,
            function=function,
            event=self._event(socket, at),
            player=socket.end.player,
            connection=socket.connection_id,
            received_at=at,
        )

    def _stamp(self) -> int:
        return self.agenda.now + self.skew_ms

    def _link(self, key: str) -> int:
        ms: int = self.fates.of(key, USUAL_LINK_MS, self.weather.link_ms)
        return ms

    def _invoke(self, cause: Cause, on_end: Callable[[Process], None]) -> None:
        if self.invoke is None:
            raise ValueError("nobody to invoke")
        self.invoke(cause, on_end)

    def _done(self, process: Process) -> None:
        if self.on_done is not None:
            self.on_done(process)
