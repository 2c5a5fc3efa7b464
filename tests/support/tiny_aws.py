"""A port that takes posts to connections and messages to a queue, and keeps what it was given.

Trivial on purpose: what it costs to talk to it is what it costs to talk.
"""

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

STAGE = "live"


@dataclass
class Received:
    """What came, in order."""

    url: str = ""
    posts: deque[tuple[str, bytes]] = field(default_factory=deque)
    queued: deque[dict[str, Any]] = field(default_factory=deque)
    """Timer messages: `table`, `timerAt`, and `delay_s`."""
    closed: list[str] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """Where AWS clients find it."""
        return {
            "AWS_ENDPOINT_URL_SQS": self.url,
            "AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI": f"{self.url}/{STAGE}",
            "TIMER_QUEUE_URL": f"{self.url}/queue",
        }

    def heard_by(self, connection: str) -> list[dict[str, Any]]:
        """What a connection was told."""
        return [json.loads(data) for to, data in self.posts if to == connection]


@contextmanager
def tiny_aws() -> Iterator[Received]:
    """The port open."""
    received = Received()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(received))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    received.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(received: Received) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if "/@connections/" in (path := unquote(self.path)):
                received.posts.append((path.rsplit("/", 1)[1], body))
                self._answer(b"")
            else:
                received.queued.append(_timer(json.loads(body)))
                self._answer(b'{"MessageId": "059f36b4-87a3-44ab-83d2-661975830a7d"}')

        def do_DELETE(self) -> None:
            received.closed.append(unquote(self.path).rsplit("/", 1)[1])
            self._answer(b"", 204)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            """Nothing is logged."""

        def _answer(self, body: bytes, status: int = 200) -> None:
            head = (
                f"HTTP/1.1 {status} OK\r\ncontent-type: application/x-amz-json-1.0\r\n"
                f"content-length: {len(body)}\r\n\r\n"
            )
            self.wfile.write(head.encode() + body)

    return Handler


def _timer(asked: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(asked["MessageBody"])
    return message | {"delay_s": asked["DelaySeconds"]}
