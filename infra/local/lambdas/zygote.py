"""The process that workers are forked from: it has imported the AWS SDK once, for all of them.

Knows nothing of any product. It reads orders from the socket on its standard input (`spawn` with
a worker's socket attached, `kill`), and when that socket ends, all workers end with it.
"""

import gc
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
from infra.local.lambdas.beforehand import prepare
from infra.local.lambdas.children import Children

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
    prepare(spec["preload"], spec["layers"], may_change=spec["reloads"])
    gc.collect()
    gc.freeze()
    with selectors.DefaultSelector() as selector:
        Zygote(socket.socket(fileno=os.dup(0)), selector).run()


class Zygote:
    """Forks workers on order, and kills them on order."""

    def __init__(self, orders: socket.socket, selector: selectors.BaseSelector) -> None:
        self._orders = orders
        self._selector = selector
        self._children = Children(selector)

    def run(self) -> None:
        """Obey until the orders end."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._selector.register(self._orders, selectors.EVENT_READ)
        while self._turn():
            pass
        self._children.kill_all()

    def _turn(self) -> bool:
        ready = [key for key, _ in self._selector.select()]
        for key in ready:
            if key.fileobj is not self._orders:
                self._children.bury(key)
        return self._obey() if any(key.fileobj is self._orders for key in ready) else True

    def _obey(self) -> bool:
        prefix, descriptors, _, _ = socket.recv_fds(self._orders, LENGTH.size, 1)
        if len(prefix) < LENGTH.size:
            return False
        order = json.loads(_exactly(self._orders, LENGTH.unpack(prefix)[0]))
        if "kill" in order:
            self._children.kill(order["kill"])
        else:
            self._spawn(order["spawn"], order["spec"], descriptors[0])
        return True

    def _spawn(self, number: int, spec: Mapping[str, Any], descriptor: int) -> None:
        if self._children.fork(number):
            self._become_worker(spec, descriptor)
        os.close(descriptor)

    def _become_worker(self, spec: Mapping[str, Any], descriptor: int) -> None:
        status = 1
        try:
            self._orders.close()
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.dup2(2, 1)
            worker.run(spec, socket.socket(fileno=descriptor))
            status = 0
        finally:
            sys.stderr.flush()
            os._exit(status)


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
