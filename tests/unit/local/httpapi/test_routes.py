"""Facts H.route: which route a request takes, and what its path variables stand for."""

from pathlib import Path

import pytest

from infra.local.httpapi.routes import Route, Stage, select
from infra.local.lambdas.functions import Function

FUNCTION = Function("F", "f", "arn:aws:lambda:r:0:function:f", "app.f", Path(), 3, 128, {})
PETS = ["GET /pets/dog/1", "GET /pets/dog/{id}", "GET /pets/{proxy+}", "ANY /{proxy+}", "$default"]


def taken(method: str, path: str, keys: list[str]) -> str | None:
    match = select([Route(key, FUNCTION) for key in keys], method, path)
    return None if match is None else match.route.key


def variables(path: str, key: str) -> dict[str, str] | None:
    match = select([Route(key, FUNCTION)], "GET", path)
    return None if match is None else dict(match.variables)


@pytest.mark.fact("H.route.static-before-variable", "H.route.full-match", "H.route.default-last")
@pytest.mark.parametrize("keys", [PETS, PETS[::-1]])
@pytest.mark.parametrize(
    ("request_line", "key"),
    [
        ("GET /pets/dog/1", "GET /pets/dog/1"),
        ("GET /pets/dog/2", "GET /pets/dog/{id}"),
        ("GET /pets/cat/1", "GET /pets/{proxy+}"),
        ("POST /test/5", "ANY /{proxy+}"),
        ("GET /", "$default"),
    ],
)
def test_the_best_match_is_taken_in_whatever_order_routes_stand(
    request_line: str, key: str, keys: list[str]
) -> None:
    method, _, path = request_line.partition(" ")
    assert taken(method, path, keys) == key


@pytest.mark.fact("H.route.full-match")
@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/a/b/c", "GET /a/{x}/{y}"),
        ("/a/b", "GET /a/{rest+}"),
        ("/a/b/c/d", "GET /a/{rest+}"),
        ("/b/c", "GET /{all+}"),
    ],
)
def test_a_longer_greedy_path_goes_before_a_shorter_and_a_full_match_before_both(
    path: str, key: str
) -> None:
    assert taken("GET", path, ["GET /{all+}", "GET /a/{rest+}", "GET /a/{x}/{y}"]) == key


@pytest.mark.fact("H.route.full-match")
def test_a_full_match_goes_before_a_greedy_one_that_begins_better() -> None:
    assert taken("GET", "/a/b", ["GET /a/{rest+}", "GET /{x}/b"]) == "GET /{x}/b"


@pytest.mark.fact("H.route.any")
def test_any_takes_the_methods_that_have_no_route_of_their_own() -> None:
    keys = ["ANY /x", "GET /x"]
    assert [taken(one, "/x", keys) for one in ("GET", "HEAD", "PURGE")] == [
        "GET /x",
        "ANY /x",
        "ANY /x",
    ]


@pytest.mark.fact("H.route.path-or-method")
def test_the_path_decides_before_the_method() -> None:
    assert taken("GET", "/a/b", ["GET /a/{x}", "ANY /a/b"]) == "ANY /a/b"
    assert taken("GET", "/a/b", ["GET /{rest+}", "ANY /a/{x}"]) == "ANY /a/{x}"


@pytest.mark.fact("H.route.greedy-empty", "H.route.trailing-slash", "H.route.not-found")
@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/a", "GET /a/{rest+}"),
        ("/a/", "GET /a/{rest+}"),
        ("/", "GET /{rest+}"),
        ("/a/", "GET /a"),
        ("/a", "GET /a/"),
        ("/a/", "GET /a/{x}"),
        ("/a/b/", "GET /a/{x}"),
        ("/a//c", "GET /a/{x}/c"),
        ("/A", "GET /a"),
        ("/a/b", "GET /a"),
        ("/ab", "GET /a"),
        ("/a", "POST /a"),
        ("/a", "HEAD /a"),
    ],
)
def test_a_path_that_differs_takes_no_route(path: str, key: str) -> None:
    assert taken("GET", path, [key]) is None


@pytest.mark.fact("H.route.trailing-slash")
def test_a_slash_at_the_end_belongs_to_the_path() -> None:
    assert taken("GET", "/a/", ["GET /a", "GET /a/"]) == "GET /a/"


@pytest.mark.fact("H.route.greedy-last", "H.path.variables")
@pytest.mark.parametrize(
    ("path", "key", "expected"),
    [
        ("/a/b/c", "GET /a/{rest+}", {"rest": "b/c"}),
        ("/a/b/", "GET /a/{rest+}", {"rest": "b/"}),
        ("/a/b/c/d", "GET /{one}/b/{rest+}", {"one": "a", "rest": "c/d"}),
        ("/λ x/☕", "GET /{a}/{b}", {"a": "λ x", "b": "☕"}),
        ("/", "GET /", {}),
        ("", "GET /", {}),
    ],
)
def test_variables_stand_for_their_part_of_the_path(
    path: str, key: str, expected: dict[str, str]
) -> None:
    assert variables(path, key) == expected


@pytest.mark.fact("H.route.default-last")
def test_the_default_route_takes_every_method_and_path() -> None:
    assert taken("PURGE", "/any/thing", ["$default", "GET /x"]) == "$default"
    assert variables("/any", "$default") == {}


def test_a_stage_with_a_name_is_not_part_of_the_path_that_routes_match() -> None:
    assert Stage("v1").path_of("/v1/v1/x") == "/v1/x"
    assert Stage("v1").path_of("/v1") == ""
    assert Stage("$default").path_of("/v1/x") == "/v1/x"
