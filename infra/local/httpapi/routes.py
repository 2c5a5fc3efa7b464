"""HTTP APIs as they are served, and which route a request takes.

Pure. A route's key is `METHOD /path/{variable}/{rest+}`, `ANY /path` or `$default` (facts
H.route.*). The path decides first, segment by segment, then the method.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from infra.local.apigateway.throttles import RouteRates
from infra.local.httpapi.cors import Cors
from infra.local.lambdas.functions import Function

DEFAULT: Final = "$default"
ANY: Final = "ANY"
MAXIMAL_TIMEOUT_MS: Final = 30_000
STATIC, VARIABLE, GREEDY = range(3)


@dataclass(frozen=True, slots=True)
class Authorizer:
    """A Lambda authorizer; identity sources as `$request.header.X`."""

    name: str
    function: Function
    identity_sources: tuple[str, ...] = ()
    has_simple_responses: bool = False
    ttl_s: int = 0


@dataclass(frozen=True, slots=True)
class Route:
    """One route: the function behind it, and who is let through to it."""

    key: str
    function: Function
    timeout_ms: int = MAXIMAL_TIMEOUT_MS
    authorizer: Authorizer | None = None

    @property
    def method(self) -> str:
        """The method of the key; `ANY` for every one."""
        return self.key.partition(" ")[0]

    @property
    def segments(self) -> tuple[str, ...]:
        """The parts of the key's path; the path `/` is one empty part."""
        return tuple(self.key.partition(" ")[2].removeprefix("/").split("/"))


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: `$default` is at the root, others under their name."""

    name: str
    variables: Mapping[str, str] = field(default_factory=dict)
    rates: RouteRates = field(default_factory=RouteRates)

    def path_of(self, path: str) -> str:
        """Return the path without the stage; it may be empty."""
        return path if self.name == DEFAULT else path.removeprefix(f"/{self.name}")


@dataclass(frozen=True, slots=True)
class HttpApi:
    """One HTTP API."""

    id: str
    routes: tuple[Route, ...]
    stages: tuple[Stage, ...]
    cors: Cors | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """The route that a request takes, and what its path variables stand for."""

    route: Route
    variables: Mapping[str, str]


def select(routes: Iterable[Route], method: str, path: str) -> Match | None:
    """Return the best match for a decoded path without its stage; None when there is none."""
    asked = path.removeprefix("/").split("/")
    found: list[tuple[tuple[bool, tuple[int, ...], bool], Match]] = []
    fallback: Match | None = None
    for route in routes:
        if route.key == DEFAULT:
            fallback = Match(route, {})
        elif route.method in {method, ANY}:
            variables = _variables(route.segments, asked)
            if variables is not None:
                found.append((_rank(route), Match(route, variables)))
    return min(found, key=lambda one: one[0])[1] if found else fallback


def kind(segment: str) -> int:
    """Say what a segment of a route's path is: STATIC, VARIABLE or GREEDY."""
    if not segment.startswith("{"):
        return STATIC
    return GREEDY if segment.endswith("+}") else VARIABLE


def _rank(route: Route) -> tuple[bool, tuple[int, ...], bool]:
    kinds = tuple(kind(segment) for segment in route.segments)
    return GREEDY in kinds, kinds, route.method == ANY


def _variables(segments: tuple[str, ...], asked: list[str]) -> dict[str, str] | None:
    variables: dict[str, str] = {}
    for index, segment in enumerate(segments):
        what = kind(segment)
        given = asked[index] if index < len(asked) else ""
        if what == GREEDY:
            rest = "/".join(asked[index:])
            return {**variables, segment[1:-2]: rest} if rest else None
        if what == VARIABLE and given:
            variables[segment[1:-1]] = given
        elif what == VARIABLE or given != segment or index >= len(asked):
            return None
    return variables if len(segments) == len(asked) else None
