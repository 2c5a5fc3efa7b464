"""One worker: a process that has loaded one function and handles one event at a time.

It speaks length-prefixed JSON over a socket: first its process id, or why the handler could
not be loaded, then one answer per event. It ends when the socket does, so nothing is left behind.
"""

import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Mapping
from typing import Any, BinaryIO, Final

from infra.local.lambdas.handler import Handler, call, failure, load_handler
from infra.local.lambdas.lambda_context import LambdaContext
from infra.local.logs import NamedLines

LENGTH: Final = struct.Struct("!I")


def run(spec: Mapping[str, Any], connection: socket.socket) -> None:
    """Serve one function until the gateway hangs up."""
    _settle_in(spec)
    try:
        handler = load_handler(spec["handler"])
    except Exception as error:  # noqa: BLE001  whatever an import raises is told and ends it
        _send(connection, failure(error))
        return
    _send(connection, json.dumps({"value": os.getpid()}).encode())
    _serve(handler, spec, connection)


def _serve(handler: Handler, spec: Mapping[str, Any], connection: socket.socket) -> None:
    stream = connection.makefile("rb")
    while (message := _receive(stream)) is not None:
        request = json.loads(message)
        context = LambdaContext(spec, request["id"])
        _send(connection, call(handler, request["event"], context))


def _settle_in(spec: Mapping[str, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.clear()
    os.environ.update(spec["environment"])
    os.chdir(spec["code"])
    sys.path[:0] = [spec["code"], *spec["layers"]]
    sys.stdout = sys.stderr = NamedLines(spec["label"], 2)


def _receive(stream: BinaryIO) -> bytes | None:
    prefix = stream.read(LENGTH.size)
    if len(prefix) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(prefix)
    message = stream.read(length)
    return message if len(message) == length else None


def _send(connection: socket.socket, message: bytes) -> None:
    connection.sendall(LENGTH.pack(len(message)) + message)
