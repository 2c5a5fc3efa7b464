"""The worker processes that live, seen from the one that forked them: killed on order, and buried.

Word of an end comes through a descriptor of each process where the system has them (Linux), for
SIGCHLD would also tell of each time that a worker is frozen; elsewhere nobody is, and it will do.
"""

import ctypes
import os
import selectors
import signal
import socket
import sys
from typing import Final

HAS_DESCRIPTORS: Final = sys.platform == "linux"
PR_SET_PDEATHSIG: Final = 1


class Children:
    """Processes by number. `selector` wakes when one has ended, with `bury` to be called."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        self._pids: dict[int, int] = {}
        self._libc = ctypes.CDLL(None, use_errno=True) if HAS_DESCRIPTORS else None
        self._wakes: tuple[socket.socket, ...] = () if HAS_DESCRIPTORS else socket.socketpair()
        if self._wakes:
            self._listen_to_signals()

    def fork(self, number: int) -> bool:
        """Fork; return True in the child, which is killed when this process dies."""
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._be_child_of(parent)
            return True
        self._pids[number] = pid
        if sys.platform == "linux":
            self._selector.register(os.pidfd_open(pid), selectors.EVENT_READ, number)
        return False

    def kill(self, number: int) -> None:
        """End one at once, if it lives."""
        pid = self._pids.get(number)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)  # its own child, not buried yet: no other can have its id

    def kill_all(self) -> None:
        """End all of them at once, the frozen ones too."""
        for number in self._pids:
            self.kill(number)

    def bury(self, key: selectors.SelectorKey) -> None:
        """Take note of an end that the selector told of."""
        if key.data is None:
            self._bury_any()
            return
        os.waitpid(self._pids.pop(key.data), 0)
        self._selector.unregister(key.fileobj)
        os.close(key.fd)

    def _bury_any(self) -> None:
        self._wakes[0].recv(4096)
        for number, pid in list(self._pids.items()):
            if os.waitpid(pid, os.WNOHANG) != (0, 0):
                del self._pids[number]

    def _listen_to_signals(self) -> None:
        self._wakes[1].setblocking(False)  # noqa: FBT003  it takes no keyword
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakes[1].fileno())
        self._selector.register(self._wakes[0], selectors.EVENT_READ)

    def _be_child_of(self, parent: int) -> None:
        for key in self._selector.get_map().values():
            if key.data is not None:
                os.close(key.fd)
        self._selector.close()
        if self._libc is not None:
            # A frozen worker would not notice that its socket has ended.
            self._libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
        elif self._wakes:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for wake in self._wakes:
                wake.close()
        if os.getppid() != parent:
            os._exit(1)
