"""Facts A3, A4 and A5: what happens over the limits of an account, a stage and a route."""

import asyncio
from collections.abc import Iterator

import aiohttp
import pytest

from infra.local.stack import Stack, StackError
from tests.integration.local.gates_at import GATES, address, client, note, refused

BURST = 40


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """An account that may make few requests, which come back one in a hundred seconds."""
    limits = ("--limit", "requests-per-second=0.01", "--limit", f"requests-burst={BURST}")
    state = tmp_path_factory.mktemp("small")
    with Stack.start(template=GATES, state=state, test_clock=True, arguments=limits) as running:
        yield running


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """An account that takes few new connections, and closes those that ask for too much."""
    arguments = ("--limit", "new-connections-per-second=5", "--fault", "throttled=closed")
    state = tmp_path_factory.mktemp("narrow")
    with Stack.start(template=GATES, state=state, test_clock=True, arguments=arguments) as running:
        yield running


@pytest.mark.fact("A4.throttled", "A5.account-rate.shared", "A5.token-bucket", "A5.close.1008")
async def test_over_the_accounts_rate_messages_and_callbacks_are_refused_alike(
    small: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(small, "desk")) as one:  # one request
        await one.send({"action": "oneWay", "do": "spread", "times": BURST + 10})  # and one
        await small.settle_async()
        spread = note(small, one.id, "spread")["tried"]
        assert spread == {"OK": BURST - 2, "LimitExceededException": 12}
        assert [await one.hear_text() for _ in range(BURST - 2)] == [
            str(n) for n in range(BURST - 2)
        ]
        told = await one.ask(action="oneWay")
        assert told == {
            "message": "Too Many Requests",
            "connectionId": one.id,
            "requestId": told["requestId"],
        }
        await small.advance_async(100_000)  # one request comes back
        assert (await one.ask(action="twoWay"))["heard"]
        assert (await one.ask(action="twoWay"))["message"] == "Too Many Requests"


@pytest.mark.fact("A3.status.throttled", "A3.refusal.body", "A3.refusal.error-type")
async def test_a_handshake_over_the_accounts_rate_is_429(
    small: Stack, http: aiohttp.ClientSession
) -> None:
    statuses = []
    for _ in range(BURST + 1):
        answer = await refused(http, f"{address(small, 'club')}")
        statuses.append(answer.status)
    assert statuses[-1] == 429
    assert answer.headers["x-amzn-ErrorType"] == "TooManyRequestsException"
    assert (await answer.json())["message"] == "Too Many Requests"


@pytest.mark.fact("A5.new-connections", "A5.new-connections.adjustable", "A3.status.throttled")
async def test_too_many_new_connections_at_once_are_refused(
    narrow: Stack, http: aiohttp.ClientSession
) -> None:
    await narrow.advance_async(1_000)
    answers = await asyncio.gather(
        *(http.ws_connect(address(narrow, "default")) for _ in range(40)), return_exceptions=True
    )
    refusals = [one for one in answers if isinstance(one, aiohttp.WSServerHandshakeError)]
    sockets = [one for one in answers if isinstance(one, aiohttp.ClientWebSocketResponse)]
    assert {one.status for one in refusals} == {429}
    assert 5 <= len(sockets) < 40
    await asyncio.gather(*(socket.close() for socket in sockets))
    await narrow.advance_async(1_000)
    async with client(http, address(narrow, "default")) as one:
        assert (await one.ask(action="oneWay", do="echo"))["event"]


@pytest.mark.fact("A5.stage-rate", "A5.route-rate", "A5.stage-rate.shared", "A5.close.1008")
async def test_a_stage_and_a_route_have_rates_of_their_own(
    narrow: Stack, http: aiohttp.ClientSession
) -> None:
    await narrow.advance_async(1_000)
    async with client(http, address(narrow, "busy")) as one:
        for _ in range(4):  # the route's own burst
            assert (await one.ask(action="oneWay", do="echo"))["event"]
        for _ in range(2):  # the stage's burst, for this route
            assert (await one.ask(action="twoWay"))["heard"]
        await one.send({"action": "twoWay"})
        closed = await one.hear()
        assert (closed.type, closed.data) == (aiohttp.WSMsgType.CLOSE, 1008)
    await narrow.settle_async()
    ended = note(narrow, one.id, "gone")["event"]["requestContext"]
    assert ended["disconnectStatusCode"] == 1008
    for _ in range(2):  # two more make three, the burst of $connect
        async with client(http, address(narrow, "busy")):
            pass
    answer = await refused(http, address(narrow, "busy"))
    assert answer.status == 429
    assert narrow.metrics()["throttled"] >= 1


@pytest.mark.parametrize("limit", ["requests=5", "requests-burst=many", "requests-burst"])
def test_a_limit_that_does_not_exist_is_refused(
    tmp_path_factory: pytest.TempPathFactory, limit: str
) -> None:
    with pytest.raises(StackError, match="status 2"):
        Stack.start(
            template=GATES, state=tmp_path_factory.mktemp("none"), arguments=("--limit", limit)
        )
