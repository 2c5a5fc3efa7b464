"""The test clock goes from one due thing to the next and waits until nothing is in flight."""

import asyncio
from pathlib import Path

import pytest

from infra.local.timing.agenda import Agenda
from infra.local.timing.clock import TestClock
from infra.local.timing.quiet import Quiet

START = 1_800_000_000_000


class Bench:
    """An agenda on a test clock, and what was done when."""

    def __init__(self, path: Path) -> None:
        self.quiet = Quiet()
        self.clock = TestClock(path / "clock", START)
        self.agenda = Agenda(self.clock, self.quiet)
        self.done: list[tuple[str, int]] = []

    def plan(self, name: str, after_ms: int) -> None:
        self.agenda.at(START + after_ms, lambda: self.do(name))

    def do(self, name: str) -> None:
        self.done.append((name, self.clock.now() - START))

    async def advance(self, span_ms: int) -> int:
        return await self.agenda.advance(self.clock, span_ms) - START


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_due_things_are_done_in_order_each_at_its_instant(bench: Bench) -> None:
    bench.plan("late", 3000)
    bench.plan("early", 1000)
    bench.plan("beyond", 5001)
    assert await bench.advance(5000) == 5000
    assert bench.done == [("early", 1000), ("late", 3000)]
    await bench.advance(1)
    assert bench.done[-1] == ("beyond", 5001)


async def test_what_a_due_thing_plans_within_the_span_is_done_too(bench: Bench) -> None:
    def chain() -> None:
        bench.do("tick")
        bench.agenda.at(bench.clock.now() + 1000, chain)

    bench.agenda.at(START + 1000, chain)
    await bench.advance(3500)
    assert [instant for _, instant in bench.done] == [1000, 2000, 3000]


async def test_the_clock_waits_for_what_is_in_flight(bench: Bench) -> None:
    async def slow() -> None:
        with bench.quiet.busy():
            for _ in range(20):
                await asyncio.sleep(0)
            bench.do("slow")

    tasks: list[asyncio.Task[None]] = []
    bench.agenda.at(START + 1000, lambda: tasks.append(asyncio.ensure_future(slow())))
    bench.plan("next", 2000)
    await bench.advance(2000)
    assert bench.done == [("slow", 1000), ("next", 2000)]


async def test_what_is_due_already_is_done_without_an_advance(bench: Bench) -> None:
    bench.plan("now", 0)
    await bench.quiet.settle()
    assert bench.done == [("now", 0)]


async def test_what_was_cancelled_is_not_done(bench: Bench) -> None:
    bench.agenda.at(START + 1, lambda: bench.do("cancelled")).cancel()
    await bench.advance(10)
    assert bench.done == []


def test_a_test_clock_never_goes_back_over_a_restart(tmp_path: Path) -> None:
    TestClock(tmp_path / "clock", START).set(START + 90_000)
    assert TestClock(tmp_path / "clock", START + 5_000).now() == START + 90_000
    assert TestClock(tmp_path / "clock", START + 99_000).now() == START + 99_000


class Client:
    """A socket whose client answers its first pings with something to do."""

    def __init__(self, quiet: Quiet, answers: int) -> None:
        self.quiet = quiet
        self.answers = answers
        self.is_posted = True
        self.was_given_up = False

    def confirm(self) -> asyncio.Future[None]:
        self.is_posted = False
        pong = asyncio.get_running_loop().create_future()
        if self.answers:
            self.answers -= 1
            asyncio.get_running_loop().call_soon(self.answer, pong)
        else:
            pong.set_result(None)
        return pong

    def answer(self, pong: asyncio.Future[None]) -> None:
        self.is_posted = True
        pong.set_result(None)

    def give_up(self) -> None:
        self.was_given_up = True


async def test_settling_goes_on_until_clients_have_nothing_more_to_say() -> None:
    quiet = Quiet()
    client = Client(quiet, answers=3)
    quiet.listen_to(lambda: [client] if client.is_posted else [])
    await quiet.settle()
    assert client.answers == 0
    assert not client.was_given_up


async def test_a_client_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.local.timing.quiet.PONG_LIMIT_S", 0.01)
    quiet = Quiet()
    client = Client(quiet, answers=0)
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(client, "confirm", lambda: never)
    quiet.listen_to(lambda: [] if client.was_given_up else [client])
    await quiet.settle()
    assert client.was_given_up
