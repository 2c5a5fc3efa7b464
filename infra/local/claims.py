"""What only one system at a time may hold: a port, and the folder with the state."""

import errno
import fcntl
import socket
from pathlib import Path
from typing import Final, TextIO

LOOPBACK: Final = "127.0.0.1"
# Where functions and tests reach the system, whoever else may: what listens there beside the host.
ALSO: Final = {"0.0.0.0": None, LOOPBACK: None, "::": "0.0.0.0"}  # noqa: S104  only if it is asked for
HIGHEST_PORT: Final = 0xFFFF


class CannotStart(Exception):
    """The system cannot be started, for a reason told in one line."""


def claim_port(host: str, port: int) -> list[socket.socket]:
    """Return the sockets that listen at one port; 0 is a free one. Raises CannotStart."""
    if not 0 <= port <= HIGHEST_PORT:
        raise CannotStart(f"There is no port {port}: choose one of 0 to {HIGHEST_PORT}.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise CannotStart(f"There is no host {host}: choose another one ({error}).") from None
    address = str(found[0][4][0])
    listening = [_listen(address, port)]
    also = ALSO.get(address, LOOPBACK)
    try:
        if also is not None:
            listening.append(_listen(also, int(listening[0].getsockname()[1])))
    except CannotStart:
        listening[0].close()
        raise
    return listening


def claim_state(state: Path) -> TextIO:
    """Return a lock on the folder, held while it is open. Raises CannotStart."""
    try:
        state.mkdir(parents=True, exist_ok=True)
        lock = (state / "lock").open("w", encoding="utf-8")
    except OSError as error:
        told = f"The state cannot be kept in {state}: name another folder with --state"
        raise CannotStart(f"{told} ({error.strerror}).") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise CannotStart(f"The state in {state} is in use by another one.") from None
    return lock


def _listen(address: str, port: int) -> socket.socket:
    is_v6 = ":" in address
    listening = socket.socket(socket.AF_INET6 if is_v6 else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if is_v6:
        # Else clients of IPv4 would come by addresses that are not their own.
        listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    try:
        listening.bind((address, port))
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise CannotStart(_refused(address, port, error)) from None
    return listening


def _refused(address: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is taken: stop what uses it or choose another one with --port."
    return f"Nothing can listen at port {port} of {address}: {error.strerror}."
