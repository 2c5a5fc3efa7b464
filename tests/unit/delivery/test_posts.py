"""C055: a broadcast reaches the living, whatever the others say, and knows the dead by status."""

from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from shared.delivery import posts
from shared.delivery.posts import ConnectionPosts
from shared.game.ids import ConnectionId

NAMED = ("GoneException", 410)
BARE = ("410", 410)
NAMELESS = ("", 410)
FATES: dict[str, tuple[str, int] | None] = {
    "dead": NAMED,
    "live1": None,
    "live2": None,
    "slow": ("LimitExceededException", 429),
    "big": ("PayloadTooLargeException", 413),
    "forbidden": ("ForbiddenException", 403),
}


class Api:
    """The management API: each connection answers as its fate says."""

    def __init__(self, fates: dict[str, tuple[str, int] | None]) -> None:
        self.fates = fates
        self.reached: list[str] = []
        self.closed: list[str] = []

    def post_to_connection(self, *, ConnectionId: str, Data: bytes) -> None:  # noqa: N803 - AWS's names
        self._answer(ConnectionId, "PostToConnection")
        self.reached.append(f"{ConnectionId}:{Data.decode()}")

    def delete_connection(self, *, ConnectionId: str) -> None:  # noqa: N803 - AWS's names
        self._answer(ConnectionId, "DeleteConnection")
        self.closed.append(ConnectionId)

    def _answer(self, connection: str, operation: str) -> None:
        fate = self.fates[connection]
        if fate is None:
            return
        code, status = fate
        said: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
        raise ClientError(said, operation)


class Counted:
    """What was counted, by name and reason."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()

    def __call__(self, name: str, *, reason: str) -> None:
        self.counts[name, reason] += 1


def posting(
    monkeypatch: pytest.MonkeyPatch, fates: dict[str, tuple[str, int] | None]
) -> tuple[ConnectionPosts, Api, Counted]:
    api, counted = Api(fates), Counted()
    monkeypatch.setattr(posts, "client", lambda *_: api)
    return ConnectionPosts("https://example.org/live", counted), api, counted


def letters(*names: str) -> dict[ConnectionId, bytes]:
    return {ConnectionId(name): b"hello" for name in names}


def test_the_living_are_reached_in_whatever_order_the_others_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sender, api, counted = posting(monkeypatch, FATES)
    orders = list(permutations(FATES))
    for order in orders:
        assert sender.post(letters(*order)) == {"dead"}
    assert Counter(api.reached) == {"live1:hello": len(orders), "live2:hello": len(orders)}
    assert counted.counts == {
        ("postFailed", "LimitExceededException"): len(orders),
        ("postFailed", "PayloadTooLargeException"): len(orders),
        ("postFailed", "ForbiddenException"): len(orders),
    }


@pytest.mark.parametrize("fate", [NAMED, BARE, NAMELESS, ("GoneException", 400)])
@pytest.mark.parametrize("beside", [[], ["live1"]])
def test_the_dead_are_known_by_status_as_well_as_by_name(
    monkeypatch: pytest.MonkeyPatch, fate: tuple[str, int], beside: list[str]
) -> None:
    sender, _, counted = posting(monkeypatch, FATES | {"dead": fate})
    assert sender.post(letters("dead", *beside)) == {"dead"}
    assert not counted.counts


def test_a_post_without_an_answer_is_counted_and_the_connection_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sender, _, counted = posting(monkeypatch, FATES)

    def hang(*_: object) -> None:
        raise ReadTimeoutError(endpoint_url="https://example.org")

    monkeypatch.setattr(posts, "client", hang)
    assert sender.post(letters("live1", "live2")) == set()
    assert counted.counts == {("postFailed", "ReadTimeoutError"): 2}


def test_nobody_to_write_to_is_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    sender, api, _ = posting(monkeypatch, FATES)
    assert sender.post({}) == set()
    assert api.reached == []


def test_closing_a_socket_that_is_gone_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    sender, api, counted = posting(monkeypatch, FATES)
    sender.close(ConnectionId("dead"))
    sender.close(ConnectionId("live1"))
    assert api.closed == ["live1"]
    assert not counted.counts
