"""Who is let through to an HTTP API, and what other origins are told: `http/http.yaml`."""

import json
from typing import Any

import pytest

from infra.local.stack import Stack
from tests.integration.local.http.at import Http, told

CHESS = "https://chess.example"
ASKS = {"Origin": CHESS, "Access-Control-Request-Method": "GET"}
PREFIX = "access-control-"


@pytest.fixture
async def stack(pages: Stack) -> Stack:
    """The system, with nothing left of what authorizers said to earlier tests."""
    await pages.advance_async(3_600_000)
    return pages


async def ask(
    http: Http, stack: Stack, path: str, word: str | None = None, method: str = "GET"
) -> tuple[int, Any]:
    headers = {} if word is None else {"authorization": word}
    async with http.request(method, f"{stack.url}{path}", headers=headers) as answer:
        return await told(answer)


def guards(stack: Stack) -> int:
    return int(stack.metrics()["invocations"].get("Guard", 0))


@pytest.mark.fact("H.authorizer.identity-missing")
@pytest.mark.parametrize("word", [None, ""])
async def test_without_identity_nobody_is_asked(http: Http, stack: Stack, word: str | None) -> None:
    before = guards(stack)
    assert await ask(http, stack, "/v1/mine", word) == (401, {"message": "Unauthorized"})
    assert guards(stack) == before


@pytest.mark.fact("H.authorizer.simple", "H.authorizer.failure", "H.authorizer.unauthorized")
@pytest.mark.parametrize(
    ("word", "status", "message"),
    [
        ("banned", 403, "Forbidden"),
        ("Unauthorized", 401, "Unauthorized"),
        ("broken", 500, "Internal Server Error"),
        ("nonsense", 500, "Internal Server Error"),
    ],
)
async def test_who_is_not_let_through_is_told_why(
    http: Http, stack: Stack, word: str, status: int, message: str
) -> None:
    assert await ask(http, stack, "/v1/mine", word) == (status, {"message": message})


@pytest.mark.fact("H.authorizer.context", "H.authorizer.event", "H.authorizer.no-body")
async def test_who_is_let_through_brings_the_authorizers_word(http: Http, stack: Stack) -> None:
    status, seen = await ask(http, stack, "/v1/any/a/b?x=1", "ann", "POST")
    assert status == 200
    context = seen["event"]["requestContext"]
    said = context["authorizer"]["lambda"]
    assert (said["age"], said["isGuest"], said["rooms"]) == (7, True, ["a", {"b": None}])
    asked = json.loads(said["event"])
    assert (asked["version"], asked["type"]) == ("2.0", "REQUEST")
    assert asked["identitySource"] == ["ann"]
    assert asked["routeArn"].endswith(f"{context['apiId']}/v1/POST/any/a/b")
    assert asked["pathParameters"] == {"rest": "a/b"}
    assert asked["queryStringParameters"] == {"x": "1"}
    assert asked["stageVariables"] == {"COLOUR": "green"}
    assert asked["requestContext"]["requestId"] == context["requestId"]
    assert {"body", "isBase64Encoded"}.isdisjoint(asked)


@pytest.mark.fact("H.authorizer.no-context")
async def test_an_authorizer_may_say_nothing(http: Http, stack: Stack) -> None:
    _, seen = await ask(http, stack, "/v1/mine", "silent")
    assert seen["event"]["requestContext"]["authorizer"] == {"lambda": None}


async def test_a_route_without_an_authorizer_says_nothing_of_one(http: Http, stack: Stack) -> None:
    _, seen = await ask(http, stack, "/v1/open", "ann")
    assert "authorizer" not in seen["event"]["requestContext"]


@pytest.mark.fact("H.authorizer.cache")
async def test_a_word_holds_for_its_time_on_all_routes(http: Http, stack: Stack) -> None:
    before = guards(stack)
    for path in ("/v1/mine", "/v1/things/1", "/v1/things/2"):
        assert (await ask(http, stack, path, "ann"))[0] == 200
    assert guards(stack) == before + 1
    await ask(http, stack, "/v1/mine", "bob")
    assert guards(stack) == before + 2
    await stack.advance_async(59_999)
    await ask(http, stack, "/v1/mine", "ann")
    assert guards(stack) == before + 2
    await stack.advance_async(1)
    await ask(http, stack, "/v1/mine", "ann")
    assert guards(stack) == before + 3


@pytest.mark.fact("H.authorizer.cache")
async def test_a_refusal_holds_too_and_a_failure_does_not(http: Http, stack: Stack) -> None:
    before = guards(stack)
    for word, asked in (("banned", 1), ("broken", 3)):
        for _ in range(2):
            await ask(http, stack, "/v1/mine", word)
        assert guards(stack) == before + asked


@pytest.mark.fact("H.authorizer.policy", "H.authorizer.cache-policy", "H.authorizer.principal")
async def test_a_policy_is_judged_for_each_route_and_asked_for_once(
    http: Http, stack: Stack
) -> None:
    before = guards(stack)
    status, seen = await ask(http, stack, "/v1/judged/1", "ann")
    assert status == 200
    assert "principalId" not in seen["event"]["requestContext"]["authorizer"]["lambda"]
    assert await ask(http, stack, "/v1/judged/2", "ann") == (403, {"message": "Forbidden"})
    assert guards(stack) == before + 1


# -- other origins -----------------------------------------------------------------------------


async def crossing(
    http: Http,
    url: str,
    method: str = "GET",
    **more: Any,  # noqa: ANN401  whatever aiohttp takes
) -> tuple[int, dict[str, str]]:
    async with http.request(method, url, **more) as answer:
        told = {name.lower(): value for name, value in answer.headers.items()}
        return answer.status, {name: told[name] for name in told if name.startswith(PREFIX)}


@pytest.mark.fact("H.cors.preflight", "H.cors.preflight-status")
@pytest.mark.parametrize("path", ["/v1/mine", "/v1/open", "/v1/nothing", "/v1"])
async def test_the_gateway_answers_preflights_itself(http: Http, stack: Stack, path: str) -> None:
    before = stack.metrics()["invocations"]
    assert await crossing(http, f"{stack.url}{path}", "OPTIONS", headers=ASKS) == (
        204,
        {
            "access-control-allow-origin": CHESS,
            "access-control-allow-credentials": "true",
            "access-control-allow-methods": "GET,POST",
            "access-control-allow-headers": "authorization,content-type",
            "access-control-max-age": "300",
        },
    )
    assert stack.metrics()["invocations"] == before


@pytest.mark.fact("H.cors.preflight")
async def test_a_default_route_does_not_see_preflights(http: Http, stack: Stack) -> None:
    before = stack.metrics()["invocations"]
    url = f"{stack.url}/raw/x"
    status, told = await crossing(http, url, "OPTIONS", headers=ASKS)
    assert (status, told["access-control-allow-origin"]) == (204, "*")
    assert stack.metrics()["invocations"] == before


@pytest.mark.fact("H.cors.authorizer")
async def test_an_authorizer_on_options_refuses_preflights(http: Http, stack: Stack) -> None:
    url = f"{stack.url}/v1/any/x"
    assert await crossing(http, url, "OPTIONS", headers=ASKS) == (401, {})
    allowed = {**ASKS, "authorization": "ann"}
    assert (await crossing(http, url, "OPTIONS", headers=allowed))[0] == 204


@pytest.mark.fact("H.cors.preflight-is")
async def test_options_without_a_method_asked_for_is_an_ordinary_request(
    http: Http, stack: Stack
) -> None:
    url = f"{stack.url}/v1/nothing"
    assert await crossing(http, url, "OPTIONS", headers={"Origin": CHESS}) == (404, {})
    async with http.options(f"{stack.url}/raw/x") as answer:
        assert (await answer.json(content_type=None))["event"]["rawPath"] == "/raw/x"


@pytest.mark.fact("H.cors.added", "H.cors.function-headers", "H.cors.strangers")
@pytest.mark.parametrize(
    ("origin", "told"),
    [
        (
            CHESS,
            {
                "access-control-allow-origin": CHESS,
                "access-control-allow-credentials": "true",
                "access-control-expose-headers": "x-total",
            },
        ),
        ("https://other.example", {}),
        (None, {}),
    ],
)
async def test_a_functions_answer_carries_the_configured_headers(
    http: Http, stack: Stack, origin: str | None, told: dict[str, str]
) -> None:
    own = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "PUT"}
    asked = {"value": {"statusCode": 201, "headers": own}}
    headers = {} if origin is None else {"Origin": origin}
    url = f"{stack.url}/v1/return"
    assert await crossing(http, url, "POST", json=asked, headers=headers) == (201, told)


@pytest.mark.fact("H.cors.gateway-errors")
async def test_the_gateways_own_errors_carry_none(http: Http, stack: Stack) -> None:
    headers = {"Origin": CHESS}
    assert await crossing(http, f"{stack.url}/v1/mine", headers=headers) == (401, {})
    assert await crossing(http, f"{stack.url}/v1/nothing", headers=headers) == (404, {})


async def test_without_cors_a_functions_headers_are_its_own(http: Http, stack: Stack) -> None:
    own = {"Access-Control-Allow-Origin": "*"}
    asked = {"value": {"statusCode": 200, "headers": own}}
    url = f"{stack.url}/return"
    assert await crossing(http, url, "POST", json=asked, headers={"Origin": CHESS}) == (
        200,
        {"access-control-allow-origin": "*"},
    )
