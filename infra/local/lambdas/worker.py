"""One worker: a process that has loaded one function and handles one event at a time.

It speaks length-prefixed JSON over a socket: first its process id, or why the handler could
not be loaded, then one answer per event. It ends when the socket does, so nothing is left behind.
"""

import faulthandler
import json
import logging
import os
import signal
import socket
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from infra.local.lambdas.handler import Handler, call, failure, hint, load_handler
from infra.local.lambdas.lambda_context import LambdaContext
from infra.local.lambdas.output import LogHandler, Output
from infra.local.logs import TERMINAL

LENGTH: Final = struct.Struct("!I")


def run(spec: Mapping[str, Any], connection: socket.socket) -> None:
    """Serve one function until the gateway hangs up."""
    output = _settle_in(spec)
    try:
        handler = load_handler(spec["handler"])
    except Exception as error:  # noqa: BLE001  whatever an import raises is told and ends it
        hint(error, spec["unbuilt"])
        _send(connection, failure(error, output))
        return
    _send(connection, json.dumps({"value": os.getpid()}).encode())
    _serve(handler, spec, connection, output)


def _serve(
    handler: Handler, spec: Mapping[str, Any], connection: socket.socket, output: Output
) -> None:
    stream = connection.makefile("rb")
    while (message := _receive(stream)) is not None:
        request = json.loads(message)
        context = LambdaContext(spec, request["id"])
        output.request_id = request["id"]
        answer = call(handler, request["event"], context, output)
        output.finish()
        output.request_id = None
        _send(connection, answer)


def _settle_in(spec: Mapping[str, Any]) -> Output:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    output = Output(spec["label"], 2, TERMINAL, start=str(Path.cwd()))
    os.environ.clear()
    os.environ.update(spec["environment"])
    os.chdir(spec["code"])
    sys.path[:0] = [spec["code"], *spec["layers"]]
    sys.stdout = sys.stderr = output
    logging.getLogger().addHandler(LogHandler(lambda: output))
    # What kills a process from within, told before it dies.
    faulthandler.enable(file=2)
    return output


def _receive(stream: BinaryIO) -> bytes | None:
    prefix = stream.read(LENGTH.size)
    if len(prefix) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(prefix)
    message = stream.read(length)
    return message if len(message) == length else None


def _send(connection: socket.socket, message: bytes) -> None:
    connection.sendall(LENGTH.pack(len(message)) + message)
