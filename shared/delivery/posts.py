"""Messages to connections through API Gateway's @connections.

A connection that is gone says so with status 410; every other failure is counted, and heals by
the client's next sync. A post that succeeds is no proof of life.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum, auto
from http import HTTPStatus
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from shared.delivery.clients import POSTS_AT_ONCE, client
from shared.game.ids import ConnectionId


class Result(Enum):
    """What became of one post."""

    SENT = auto()
    GONE = auto()
    FAILED = auto()


class Count(Protocol):
    """Where failures are counted."""

    def __call__(self, name: str, *, reason: str) -> None:
        """One more of `name`, for that reason."""
        ...


class ConnectionPosts:
    """Posts for one API's stage; the endpoint is None where botocore is told it otherwise."""

    def __init__(self, endpoint_url: str | None, count: Count) -> None:
        """Nothing is opened before the first post."""
        self._endpoint_url = endpoint_url
        self._count = count
        self._pool: ThreadPoolExecutor | None = None

    def post(self, letters: dict[ConnectionId, bytes]) -> set[ConnectionId]:
        """Each payload to its connection, side by side; those that are gone for good."""
        if len(letters) == 1:
            results = [self._post(*letter) for letter in letters.items()]
        else:
            results = list(self._threads().map(lambda letter: self._post(*letter), letters.items()))
        found = zip(letters, results, strict=True)
        return {connection_id for connection_id, result in found if result is Result.GONE}

    def close(self, connection_id: ConnectionId) -> None:
        """The socket closed, if it still is open."""
        self._call(lambda api: api.delete_connection(ConnectionId=connection_id))

    def open(self) -> None:
        """The client made, which takes longer than a post."""
        client("apigatewaymanagementapi", self._endpoint_url)

    def _post(self, connection_id: ConnectionId, payload: bytes) -> Result:
        return self._call(
            lambda api: api.post_to_connection(ConnectionId=connection_id, Data=payload)
        )

    def _call(self, call: Callable[[Any], object]) -> Result:
        try:
            call(client("apigatewaymanagementapi", self._endpoint_url))
        except ClientError as error:
            return self._failed(error)
        except BotoCoreError as error:
            self._count("postFailed", reason=type(error).__name__)
            return Result.FAILED
        return Result.SENT

    def _failed(self, error: ClientError) -> Result:
        """Gone, by status as well as by name: a bare 410 has no name."""
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        code = error.response.get("Error", {}).get("Code", "")
        if status == HTTPStatus.GONE or code in {"GoneException", "410"}:
            return Result.GONE
        self._count("postFailed", reason=code or str(status))
        return Result.FAILED

    def _threads(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(POSTS_AT_ONCE, thread_name_prefix="post")
        return self._pool
