"""One client's open socket: what arrives, what is sent, how it ends.

Knows frames and aiohttp's transport; what a message means it leaves to the listener. It is fed by
aiohttp as the parser of an upgraded connection, so there is no task and no queue per socket.
"""

import asyncio
import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from infra.local.websocket import frames
from infra.local.websocket.events import ConnectionFacts

ACCEPT_SALT: Final = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CLOSE_LIMIT_S: Final = 2.0
ABNORMAL: Final = 1006
ABNORMAL_REASON: Final = "Connection closed abnormally"
MOST_UNSENT_BYTES: Final = 256 * 1024
MOST_UNHANDLED: Final = 256


@dataclass(frozen=True, slots=True)
class Listener:
    """Who is told about a session."""

    on_text: Callable[["Session", str], None]
    on_closing: Callable[[], None]
    on_end: Callable[["Session", int, str], None]


class Session:
    """An open WebSocket. Sending never waits: a client that reads too slowly `is_clogged`."""

    def __init__(
        self, facts: ConnectionFacts, transport: asyncio.Transport, listener: Listener, now: int
    ) -> None:
        self.facts = facts
        self.last_active_at = now
        self.is_posted = False
        self.is_ghost = False
        self.is_open = True
        self.is_closing = False
        self.unhandled = 0
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport = transport
        self._listener = listener
        self._reader = frames.FrameReader()
        self._ending: tuple[int, str] | None = None
        self._limit: asyncio.TimerHandle | None = None
        self._pong: asyncio.Future[None] | None = None
        self._is_deaf = False

    @property
    def id(self) -> str:
        """The connection id."""
        return self.facts.connection_id

    @property
    def is_clogged(self) -> bool:
        """Whether the client has left too much unread."""
        return not self.is_ghost and (self._transport.get_write_buffer_size() > MOST_UNSENT_BYTES)

    @property
    def is_unconfirmed(self) -> bool:
        """Whether the client was sent something that it may not have read."""
        return self.is_posted and not self._is_deaf and self.is_open and not self.is_ghost

    # -- sending -----------------------------------------------------------------------

    def send_text(self, payload: bytes) -> None:
        """Send one message; to a client that died silently, or after a close, it goes nowhere."""
        if self.is_ghost or self._ending is not None or self._transport.is_closing():
            return
        self.is_posted = True
        self._transport.write(frames.text_frame(payload))

    def confirm(self) -> asyncio.Future[None]:
        """Ping the client; the future is done when it answers or is gone."""
        self.is_posted = False
        if self._pong is None or self._pong.done():
            self._pong = asyncio.get_running_loop().create_future()
        if self.is_open and not self._transport.is_closing():
            self._transport.write(frames.frame(frames.PING, b"settle"))
        else:
            self._answered()
        return self._pong

    def give_up(self) -> None:
        """The client did not answer in time: it is not waited for again.

        It reads when it pleases, as a test does; each wait for it would be as long as this one.
        """
        self._is_deaf = True

    def close(self, code: int, reason: str) -> None:
        """Close from this side; the end is told when the client agrees or its time is up."""
        if self._ending is not None or not self.is_open:
            return
        self._ending = (code, reason)
        if self.is_ghost:
            self._end()
            return
        self._listener.on_closing()
        self.is_closing = True
        self._transport.write(frames.close_frame(code, reason))
        self._limit = asyncio.get_running_loop().call_later(CLOSE_LIMIT_S, self._end)

    def cut(self) -> None:
        """Let the line go dead: the client's socket breaks, this side has not noticed."""
        self.is_ghost = True
        self._transport.abort()
        self._answered()

    def vanish(self) -> None:
        """Break the socket and tell nobody of the end."""
        self.cut()
        self.is_open = False
        self.ended.set_result(None)

    def abort(self) -> None:
        """Break the socket; the end is told as abnormal."""
        self._ending = (ABNORMAL, ABNORMAL_REASON)
        self._end()

    # -- what aiohttp feeds ------------------------------------------------------------

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        """Take bytes from the socket."""
        for received in self._reader.feed(data):
            self._take(received)
        return False, b""

    def feed_eof(self) -> None:
        """The socket is gone; without a close frame before it that is an abnormal end."""
        if self.is_ghost:
            return
        if self._ending is None:
            self._ending = (ABNORMAL, ABNORMAL_REASON)
        self._end()

    def handled(self) -> None:
        """One of the client's messages has been dealt with."""
        self.unhandled -= 1
        if self.unhandled == MOST_UNHANDLED - 1 and not self._transport.is_closing():
            self._transport.resume_reading()

    def _take(self, received: frames.Received) -> None:
        match received:
            case frames.Text(data):
                self._take_text(data)
            case frames.Ping(payload):
                self._transport.write(frames.frame(frames.PONG, payload))
            case frames.Pong():
                self._answered()
            case frames.Closing(code, reason):
                self._take_close(code, reason)
            case frames.Violation(code, reason):
                self._refuse(code, reason)

    def _take_text(self, data: str) -> None:
        if self._ending is not None:
            return
        self.unhandled += 1
        if self.unhandled == MOST_UNHANDLED:
            self._transport.pause_reading()
        self._listener.on_text(self, data)

    def _take_close(self, code: int, reason: str) -> None:
        if self._ending is None:
            self._ending = (code, reason)
            self._transport.write(frames.close_frame(code, ""))
        self._end()

    def _refuse(self, code: int, reason: str) -> None:
        # Nothing more is read as frames; the half-closed socket lets the client hear the reason.
        self.close(code, reason)
        if self.is_open and self._transport.can_write_eof():
            self._transport.write_eof()

    def _answered(self) -> None:
        if self._pong is not None and not self._pong.done():
            self._pong.set_result(None)

    def _end(self) -> None:
        if not self.is_open:
            return
        self.is_open = False
        if self._limit is not None:
            self._limit.cancel()
        self._answered()
        if not self._transport.is_closing():
            self._transport.close()
        code, reason = self._ending or (ABNORMAL, ABNORMAL_REASON)
        self._listener.on_end(self, code, reason)
        if not self.ended.done():
            self.ended.set_result(None)


def switching_protocols(key: str, sub_protocol: str | None, connection_id: str) -> bytes:
    """Return the 101 answer, byte for byte. The last header is ours, for tests."""
    accept = base64.b64encode(hashlib.sha1(key.encode() + ACCEPT_SALT).digest()).decode()  # noqa: S324  RFC 6455 asks for it
    lines = [
        "HTTP/1.1 101 Switching Protocols",
        "Upgrade: websocket",
        "Connection: upgrade",
        f"Sec-WebSocket-Accept: {accept}",
        *([f"Sec-WebSocket-Protocol: {sub_protocol}"] if sub_protocol else []),
        f"X-Local-Connection-Id: {connection_id}",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
