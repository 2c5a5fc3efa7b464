"""The process that workers are forked from: it has imported the AWS SDK once, for all of them.

Knows nothing of any product. It reads orders from the socket on its standard input (`spawn` with
a worker's socket attached, `kill`), and when that socket ends, all workers end with it.
"""

import gc
import importlib
import json
import os
import selectors
import signal
import socket
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from infra.local.lambdas import worker

LENGTH: Final = struct.Struct("!I")
ROOT: Final = str(Path(__file__).resolve().parents[3])


def main() -> None:
    """Fork workers until the gateway hangs up."""
    spec = json.loads(sys.argv[1])
    # Functions see their own folder and their layers, not the folder this package lies in.
    sys.path[:] = [entry for entry in sys.path if entry not in {"", ROOT}]
    if spec["clock"] is not None:
        from infra.local.timing.travel import live_at  # noqa: PLC0415  only where time is tested

        live_at(Path(spec["clock"]))
    _import(spec["preload"])
    gc.collect()
    gc.freeze()
    Zygote(socket.socket(fileno=os.dup(0))).run()


def _import(names: list[str]) -> None:
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as error:
            print(f"not imported beforehand: {error}", file=sys.stderr)


class Zygote:
    """Forks workers on order, and buries them."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._children: dict[int, int] = {}
        self._wake_read, self._wake_write = socket.socketpair()

    def run(self) -> None:
        """Obey until the orders end."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._wake_write.setblocking(False)  # noqa: FBT003  it takes no keyword
        signal.set_wakeup_fd(self._wake_write.fileno())
        with selectors.DefaultSelector() as selector:
            selector.register(self._orders, selectors.EVENT_READ)
            selector.register(self._wake_read, selectors.EVENT_READ)
            while self._turn(selector):
                pass
        self._kill_all()

    def _turn(self, selector: selectors.BaseSelector) -> bool:
        ready = {key.fileobj for key, _ in selector.select()}
        if self._wake_read in ready:
            self._wake_read.recv(4096)
            self._bury()
        return self._obey() if self._orders in ready else True

    def _obey(self) -> bool:
        prefix, descriptors, _, _ = socket.recv_fds(self._orders, LENGTH.size, 1)
        if len(prefix) < LENGTH.size:
            return False
        order = json.loads(_exactly(self._orders, LENGTH.unpack(prefix)[0]))
        if "kill" in order:
            self._kill(order["kill"])
        else:
            self._spawn(order["spawn"], order["spec"], descriptors[0])
        return True

    def _spawn(self, number: int, spec: Mapping[str, Any], descriptor: int) -> None:
        pid = os.fork()
        if pid == 0:
            self._become_worker(spec, descriptor)
        os.close(descriptor)
        self._children[number] = pid

    def _become_worker(self, spec: Mapping[str, Any], descriptor: int) -> None:
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for inherited in (self._orders, self._wake_read, self._wake_write):
                inherited.close()
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.dup2(2, 1)
            worker.run(spec, socket.socket(fileno=descriptor))
            status = 0
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _kill(self, number: int) -> None:
        pid = self._children.pop(number, None)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)

    def _kill_all(self) -> None:
        for number in list(self._children):
            self._kill(number)

    def _bury(self) -> None:
        dead = set()
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            dead.add(pid)
        self._children = {number: pid for number, pid in self._children.items() if pid not in dead}


def _exactly(orders: socket.socket, length: int) -> bytes:
    received = b""
    while len(received) < length:
        piece = orders.recv(length - len(received))
        if not piece:
            raise ConnectionError("the gateway hung up in the middle of an order")
        received += piece
    return received


if __name__ == "__main__":
    main()
