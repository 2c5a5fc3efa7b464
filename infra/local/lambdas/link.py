"""The gateway's end of one worker's socket: one message out, one message in.

A worker may be frozen while it has nothing to do, as on Lambda: its process is stopped, background
threads and all, and continued before the next event. It is signalled through a descriptor of the
process, never by a number that may be another's by now; where there is none it is not frozen.
"""

import asyncio
import os
import signal
import struct
import sys
from typing import Final

LENGTH: Final = struct.Struct("!I")


class Link(asyncio.Protocol):
    """One worker as the gateway sees it; `events` it has been given, `generation` of its code."""

    def __init__(self, number: int, generation: int) -> None:
        self.number = number
        self.generation = generation
        self.events = 0
        self.is_open = True
        self.is_killed = False
        self._buffer = bytearray()
        self._answer: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.WriteTransport | None = None
        self._process: int | None = None
        self._is_frozen = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to write to."""
        if isinstance(transport, asyncio.WriteTransport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Put the answer together."""
        self._buffer += data
        if len(self._buffer) < LENGTH.size:
            return
        (length,) = LENGTH.unpack_from(self._buffer)
        if len(self._buffer) >= LENGTH.size + length:
            message = bytes(self._buffer[LENGTH.size : LENGTH.size + length])
            del self._buffer[: LENGTH.size + length]
            self._tell(message)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  asyncio's name
        """The worker is gone, and with it the answer."""
        self.is_open = False
        self._forget_process()
        self._tell(None)

    def _tell(self, message: bytes | None) -> None:
        if not self._answer.done():
            self._answer.set_result(message)

    async def answer(self, limit_s: float) -> bytes | None:
        """Return the next message, None when the worker is gone; raises TimeoutError."""
        async with asyncio.timeout(limit_s):
            return await self._answer

    def send(self, message: bytes) -> None:
        """Hand the worker an event."""
        self._answer = asyncio.get_running_loop().create_future()
        if self._transport is None or not self.is_open:
            self._tell(None)
            return
        self.events += 1
        self._transport.write(LENGTH.pack(len(message)) + message)
        self._thaw()

    def close(self) -> None:
        """Hang up: the worker ends."""
        self.is_open = False
        if self._transport is not None:
            self._transport.close()
        self._thaw()
        self._forget_process()

    # -- its process -------------------------------------------------------------------

    def is_process(self, pid: int) -> None:
        """The worker has told its process: from now on it can be frozen."""
        if sys.platform == "linux" and self.is_open:
            self._process = os.pidfd_open(pid)

    def freeze(self) -> bool:
        """Stop the process until the next event; return whether it was."""
        if self._process is None or self._is_frozen or not self._signal(signal.SIGSTOP):
            return False
        self._is_frozen = True
        return True

    def _thaw(self) -> None:
        if self._is_frozen:
            self._is_frozen = False
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> bool:
        if sys.platform != "linux" or self._process is None:
            return False
        try:
            signal.pidfd_send_signal(self._process, number)
        except ProcessLookupError:
            return False  # it has ended; the socket will tell
        return True

    def _forget_process(self) -> None:
        if self._process is not None:
            os.close(self._process)
            self._process = None
