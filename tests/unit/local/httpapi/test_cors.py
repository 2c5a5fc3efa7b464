"""Facts H.cors: what the gateway says to other origins for a function."""

import pytest

from infra.local.httpapi.answers import Answer
from infra.local.httpapi.cors import Cors, crossed, is_preflight, preflight

CHESS = "https://chess.example"
ASKED = {"origin": CHESS, "access-control-request-method": "POST"}
FULL = Cors(
    origins=(CHESS, "http://localhost:3000"),
    methods=("GET", "POST"),
    headers=("authorization", "x-b"),
    exposed=("x-total", "date"),
    max_age_s=300,
    has_credentials=True,
)


@pytest.mark.fact("H.cors.preflight-is")
@pytest.mark.parametrize(
    ("method", "headers", "expected"),
    [
        ("OPTIONS", ASKED, True),
        ("OPTIONS", {"origin": CHESS}, False),
        ("OPTIONS", {"access-control-request-method": "POST"}, False),
        ("POST", ASKED, False),
    ],
)
def test_a_preflight_has_an_origin_and_asks_for_a_method(
    method: str, headers: dict[str, str], *, expected: bool
) -> None:
    assert is_preflight(method, headers) is expected


@pytest.mark.fact("H.cors.preflight", "H.cors.preflight-status")
def test_a_preflight_is_told_what_is_configured() -> None:
    assert preflight(FULL, ASKED) == Answer(
        204,
        headers={
            "Access-Control-Allow-Origin": CHESS,
            "Access-Control-Allow-Credentials": "true",
            "Access-Control-Allow-Methods": "GET,POST",
            "Access-Control-Allow-Headers": "authorization,x-b",
            "Access-Control-Max-Age": "300",
        },
    )


@pytest.mark.fact("H.cors.preflight")
def test_what_is_not_configured_is_not_told() -> None:
    told = preflight(Cors(origins=(CHESS,), max_age_s=0), ASKED).headers
    assert told == {"Access-Control-Allow-Origin": CHESS, "Access-Control-Max-Age": "0"}


@pytest.mark.fact("H.cors.strangers")
@pytest.mark.parametrize(
    "origin",
    ["https://other.example", "http://chess.example", f"{CHESS}:8443", "https://CHESS.example"],
)
def test_strangers_are_told_nothing(origin: str) -> None:
    assert preflight(FULL, {**ASKED, "origin": origin}) == Answer(204)
    answer = Answer(200, b"x", {"X-Total": "7"})
    assert crossed(FULL, {"origin": origin}, answer) == answer


@pytest.mark.fact("H.cors.origins")
@pytest.mark.parametrize(
    ("allowed", "origin", "told"),
    [
        ("*", CHESS, "*"),
        ("https://*", CHESS, CHESS),
        ("https://*", "http://chess.example", None),
        ("http://*", "http://localhost:3000", "http://localhost:3000"),
        ("http://*", CHESS, None),
        (CHESS, CHESS, CHESS),
        ("https://*.example", CHESS, None),
    ],
)
def test_an_origin_is_allowed_whole_by_its_scheme_or_like_every_other(
    allowed: str, origin: str, told: str | None
) -> None:
    headers = preflight(Cors(origins=(allowed,)), {**ASKED, "origin": origin}).headers
    assert headers.get("Access-Control-Allow-Origin") == told


@pytest.mark.fact("H.cors.star")
def test_a_star_is_told_as_a_star() -> None:
    told = preflight(Cors(origins=("*",), methods=("*",), headers=("*",)), ASKED).headers
    assert told["Access-Control-Allow-Methods"] == "*"
    assert told["Access-Control-Allow-Headers"] == "*"


@pytest.mark.fact("H.cors.added", "H.cors.function-headers")
def test_a_functions_own_headers_give_way_to_the_configured() -> None:
    answer = Answer(
        200,
        b"x",
        {"Access-Control-Allow-Origin": "*", "access-control-max-age": "9", "X-Total": "7"},
    )
    assert crossed(FULL, {"origin": CHESS}, answer).headers == {
        "X-Total": "7",
        "Access-Control-Allow-Origin": CHESS,
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Expose-Headers": "x-total,date",
    }
    assert crossed(FULL, {}, answer).headers == {"X-Total": "7"}
    assert crossed(Cors(origins=("*",)), {}, answer).headers == {"X-Total": "7"}
