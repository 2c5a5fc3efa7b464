"""What only one system at a time may hold: a port, and the folder with the state."""

import fcntl
import socket
from pathlib import Path
from typing import TextIO


class CannotStart(Exception):
    """The system cannot be started, for a reason told in one line."""


def claim_port(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is a free one. Raises CannotStart."""
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise CannotStart(
            f"Port {port} is taken: stop what uses it or choose another one ({error.strerror})."
        ) from None
    return listening


def claim_state(state: Path) -> TextIO:
    """Return a lock on the folder, held while it is open. Raises CannotStart."""
    state.mkdir(parents=True, exist_ok=True)
    lock = (state / "lock").open("w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise CannotStart(f"The state in {state} is in use by another one.") from None
    return lock
