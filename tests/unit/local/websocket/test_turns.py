"""Turns of messages, order of posts, and farewells, without sockets and processes."""

import asyncio
from typing import cast

import msgspec
import pytest

from infra.local.faults import Chance, Faults
from infra.local.timing.agenda import Agenda
from infra.local.timing.clock import SystemClock
from infra.local.timing.quiet import Quiet
from infra.local.websocket.farewells import Farewells
from infra.local.websocket.posts import Posts
from infra.local.websocket.session import Session
from infra.local.websocket.turns import Turns


class Work:
    """Notes when each message is begun and ended; the first ones hang when told to."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.hanging = asyncio.Event()
        self.two_have_ended = asyncio.Event()

    async def handle(self, name: str) -> None:
        self.notes.append(f"{name} begun")
        if name == "hanging":
            await self.hanging.wait()
        await asyncio.sleep(0)
        self.notes.append(f"{name} ended")
        if sum(note.endswith("ended") for note in self.notes) == 2:
            self.two_have_ended.set()


def turns_of(messages: str) -> Turns:
    return Turns(Chance(msgspec.convert({"messages": messages}, Faults)))


async def handle_all(turns: Turns, work: Work, names: list[str], connection: str = "c") -> None:
    await asyncio.gather(*(turns.in_turn(connection, work.handle(name)) for name in names))


@pytest.mark.fact("A5.order.messages")
async def test_side_by_side_all_are_begun_before_any_is_ended() -> None:
    work = Work()
    await handle_all(Turns(Chance()), work, list("abc"))
    assert work.notes == [f"{name} {what}" for what in ("begun", "ended") for name in "abc"]


@pytest.mark.fact("A5.order.messages")
async def test_serial_each_is_ended_before_the_next_is_begun() -> None:
    work = Work()
    await handle_all(Turns(Chance(Faults(messages="serial"))), work, list("abc"))
    assert work.notes == [f"{name} {what}" for name in "abc" for what in ("begun", "ended")]


@pytest.mark.fact("A5.order.messages")
async def test_shuffled_the_seed_alone_decides_the_order() -> None:
    orders = []
    for _ in range(2):
        work = Work()
        await handle_all(Turns(Chance(Faults(messages="shuffled"), 3)), work, list("abcdef"))
        orders.append("".join(note[0] for note in work.notes[::2]))
        assert [note[0] for note in work.notes[::2]] == [note[0] for note in work.notes[1::2]]
    assert orders[0] == orders[1] != "abcdef"
    assert sorted(orders[0]) == list("abcdef")


async def test_shuffled_one_that_hangs_does_not_hold_up_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("infra.local.websocket.turns.PATIENCE_S", 0.01)
    work = Work()
    turns = Turns(Chance(Faults(messages="shuffled")))
    handling = asyncio.ensure_future(handle_all(turns, work, ["hanging", "b", "c"]))
    await asyncio.wait_for(work.two_have_ended.wait(), 5)
    assert "hanging ended" not in work.notes
    work.hanging.set()
    await handling
    assert "hanging ended" in work.notes


@pytest.mark.parametrize("messages", ["serial", "shuffled"])
async def test_connections_have_their_turns_apart(messages: str) -> None:
    work, turns = Work(), turns_of(messages)
    hung = asyncio.ensure_future(turns.in_turn("one", work.handle("hanging")))
    await asyncio.sleep(0)
    await asyncio.wait_for(turns.in_turn("other", work.handle("b")), 5)
    assert "b ended" in work.notes
    work.hanging.set()
    await hung


@pytest.mark.parametrize("messages", ["concurrent", "serial", "shuffled"])
async def test_what_goes_wrong_is_not_swallowed(messages: str) -> None:
    async def fail() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await turns_of(messages).in_turn("c", fail())


class Client:
    """A session that hears what is sent."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def send_text(self, payload: bytes) -> None:
        self.heard.append(payload)


def post_all(posts: Posts, client: Client, payloads: list[bytes]) -> None:
    for payload in payloads:
        posts.send(cast("Session", client), payload)


@pytest.mark.fact("A5.order.posts")
async def test_posts_are_sent_at_once_in_their_order() -> None:
    client = Client()
    post_all(Posts(Chance(), Quiet()), client, [b"a", b"b", b"c"])
    assert client.heard == [b"a", b"b", b"c"]


@pytest.mark.fact("A5.order.posts")
async def test_shuffled_posts_are_in_flight_until_sent_in_the_order_of_the_seed() -> None:
    orders = []
    for _ in range(2):
        client, quiet = Client(), Quiet()
        post_all(Posts(Chance(Faults(posts="shuffled"), 3), quiet), client, [b"a", b"b", b"c"])
        assert client.heard == []
        await quiet.settle()
        orders.append(client.heard)
    assert orders[0] == orders[1] != [b"a", b"b", b"c"]
    assert sorted(orders[0]) == [b"a", b"b", b"c"]


async def test_posts_that_are_flushed_are_sent_once() -> None:
    client, quiet = Client(), Quiet()
    posts = Posts(Chance(Faults(posts="shuffled")), quiet)
    post_all(posts, client, [b"a", b"b"])
    posts.flush(cast("Session", client))
    assert sorted(client.heard) == [b"a", b"b"]
    await quiet.settle()
    assert len(client.heard) == 2


async def test_the_posts_of_one_client_do_not_hold_up_or_mix_with_those_of_another() -> None:
    one, other, quiet = Client(), Client(), Quiet()
    posts = Posts(Chance(Faults(posts="shuffled")), quiet)
    post_all(posts, one, [b"a", b"b"])
    post_all(posts, other, [b"c", b"d"])
    await quiet.settle()
    assert (sorted(one.heard), sorted(other.heard)) == ([b"a", b"b"], [b"c", b"d"])


async def test_a_late_farewell_is_said_once_when_hurried() -> None:
    said: list[str] = []
    chance = Chance(Faults(disconnect_late=1.0, disconnect_late_ms=3_600_000))
    agenda = Agenda(SystemClock(), Quiet())
    farewells = Farewells(chance, agenda)
    farewells.say(lambda: said.append("one"))
    assert said == []
    farewells.hurry()
    farewells.hurry()
    assert said == ["one"]
    farewells.say(lambda: said.append("two"))
    assert said == ["one", "two"]
    agenda.stop()
