"""Facts A2: what a sender hears of his message, on one-way and two-way routes, through sockets."""

import json

import aiohttp
import pytest

from infra.local.stack import Stack
from tests.integration.local.gates_at import GATES, address, client


@pytest.mark.fact("A2.two-way", "SAM.plain-resources")
async def test_a_two_way_route_answers_what_the_function_returned(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        await one.send('{"action":"twoWay","n":1}')
        assert await one.hear_text() == '{"heard": {"action": "twoWay", "n": 1}}'


@pytest.mark.fact("A2.two-way.status")
async def test_a_body_with_a_status_of_500_is_an_ordinary_answer(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        await one.send({"action": "twoWay", "do": "refuse"})
        assert await one.hear_text() == "well-formed"


@pytest.mark.fact("A2.one-way", "A2.two-way.both-needed")
@pytest.mark.parametrize("action", ["oneWay", "halfWay", "somethingElse"])
async def test_without_expression_and_route_response_the_answer_is_dropped(
    gates: Stack, http: aiohttp.ClientSession, action: str
) -> None:
    async with client(http, address(gates, "desk")) as one:
        await one.send({"action": action})
        await gates.settle_async()
        assert (await one.ask(action="twoWay", last=1))["heard"]["last"] == 1


@pytest.mark.fact("A5.message.answer")
async def test_an_answer_longer_than_a_message_may_be_is_an_error(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        await one.send({"action": "twoWay", "do": "long", "bytes": 128 * 1024})
        assert await one.hear_text() == "x" * 128 * 1024
        for too_long in (128 * 1024 + 1, 7 * 1024 * 1024):
            heard = await one.ask(action="twoWay", do="long", bytes=too_long)
            assert heard["message"] == "Internal server error"
        await one.send({"action": "oneWay", "do": "long", "bytes": 128 * 1024 + 1})
        await gates.settle_async()
        assert (await one.ask(action="twoWay", last=1))["heard"]["last"] == 1


async def test_what_cannot_be_written_in_an_answer_is_replaced(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        await one.send({"action": "twoWay", "do": "half"})
        assert await one.hear_text() == "half a pair: ?"


async def test_a_two_way_route_without_a_body_answers_nothing(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        await one.send({"action": "twoWay", "do": "plain"})
        await gates.settle_async()
        assert (await one.ask(action="twoWay", last=1))["heard"]["last"] == 1


@pytest.mark.fact("A2.default", "A2.default.not-json", "A1.context.route-key", "A1.message.body")
@pytest.mark.parametrize("text", ['{"action":"unknown","do":"echo"}', '{"do": "echo"}', "no JSON"])
async def test_what_no_route_takes_comes_to_default_as_it_was_sent(
    gates: Stack, http: aiohttp.ClientSession, text: str
) -> None:
    async with client(http, address(gates, "desk")) as one:
        before = gates.metrics()["invocations"].get("Answer", 0)
        await one.send(text)
        await gates.settle_async()
        assert gates.metrics()["invocations"]["Answer"] == before + 1
        if "echo" in text:
            event = json.loads(await one.hear_text())["event"]
            assert (event["requestContext"]["routeKey"], event["body"]) == ("$default", text)


@pytest.mark.fact("A4.permission")
async def test_a_function_without_a_policy_posts_all_the_same(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    assert "ManageConnections" not in GATES.read_text()
    async with client(http, address(gates, "desk")) as one:
        assert (await one.ask(action="twoWay", do="echo"))["event"]


@pytest.mark.fact("A2.model.frame", "A2.model.not-called", "A2.model.selected")
async def test_a_message_that_fails_its_model_is_answered_without_the_function(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        before = gates.metrics()["invocations"].get("Answer", 0)
        heard = await one.ask(action="order", what="tea", cups=0)
        assert heard == {
            "message": "Bad request body",
            "connectionId": one.id,
            "messageId": heard["messageId"],
        }
        assert len(heard["messageId"]) == 16
        await gates.settle_async()
        assert gates.metrics()["invocations"].get("Answer", 0) == before
        assert (await one.ask(action="twoWay"))["heard"]


@pytest.mark.fact("A2.model.default", "A2.model.no-match")
@pytest.mark.parametrize(
    ("message", "is_accepted"),
    [
        ({"action": "order", "what": "tea", "cups": 1, "do": "echo"}, True),
        ({"action": "order", "what": "cake", "do": "echo"}, True),
        ({"action": "order", "what": "cake", "do": "echo", "more": 1}, False),  # too many for it
        ({"action": "strict", "what": "tea", "cups": 1, "do": "echo"}, True),
        ({"action": "strict", "what": "cake", "cups": 1, "do": "echo"}, False),
    ],
)
async def test_the_model_is_the_one_a_message_names_or_the_default_one(
    gates: Stack,
    http: aiohttp.ClientSession,
    message: dict[str, object],
    is_accepted: bool,  # noqa: FBT001 - an example's outcome
) -> None:
    async with client(http, address(gates, "desk")) as one:
        heard = await one.ask(**message)
    assert ("event" in heard) is is_accepted


@pytest.mark.fact("A2.integration-timeout", "A2.integration-timeout.function")
async def test_past_the_integrations_time_out_the_sender_is_told_and_the_function_goes_on(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        before = gates.metrics()["errors"].get("Answer", 0)
        heard = await one.ask(action="hurry", do="sleep", seconds=0.6)
        assert heard == {
            "message": "Endpoint request timed out",
            "connectionId": one.id,
            "requestId": heard["requestId"],
        }
        await gates.settle_async()
        assert gates.metrics()["errors"].get("Answer", 0) == before
        assert (await one.ask(action="twoWay"))["heard"]


@pytest.mark.fact("A2.no-retry", "A2.failure.raises", "A2.failure.no-details")
async def test_a_message_whose_function_failed_is_not_tried_again(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        before = gates.metrics()["invocations"].get("Answer", 0)
        heard = await one.ask(action="twoWay", do="fail")
        assert set(heard) == {"message", "connectionId", "requestId"}
        assert heard["message"] == "Internal server error"
        await gates.advance_async(10 * 60_000 - 1)
        assert gates.metrics()["invocations"]["Answer"] == before + 1


@pytest.mark.fact("A2.no-route.frame", "A2.no-route.stays-open")
async def test_where_nothing_takes_a_message_its_sender_is_told_and_may_go_on(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "default")) as one:
        await one.send({"action": "unknown"})
        await gates.settle_async()
        heard = json.loads(one.heard.get_nowait().data)
        assert heard == {
            "message": "Forbidden",
            "connectionId": one.id,
            "requestId": heard["requestId"],
        }
        assert (await one.ask(action="oneWay", do="echo"))["event"]


async def test_a_function_finds_the_connections_of_its_own_api(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "default")) as one:
        assert await one.ask(action="own") == {"own": True}


async def test_several_apis_are_served_side_by_side(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    seen = {}
    for stage in ("desk", "busy", "default"):
        async with client(http, address(gates, stage)) as one:
            context = (await one.ask(action="oneWay", do="echo"))["event"]["requestContext"]
            seen[context["stage"]] = context["apiId"]
    assert set(seen) == {"desk", "busy", "default"}
    assert seen["desk"] == seen["busy"] != seen["default"]
