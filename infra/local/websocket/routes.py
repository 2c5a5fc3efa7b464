"""The WebSocket APIs of a template: stage, routes, authorizer; and which route a message takes.

Knows AWS::ApiGatewayV2::* as the SAM transform leaves it or as somebody wrote it, and route
selection expressions. Opens no socket and calls no function.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError, text
from infra.local.cloudformation.template import Resource, Template
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function, Functions

CONNECT: Final = "$connect"
DISCONNECT: Final = "$disconnect"
DEFAULT: Final = "$default"
PREDEFINED: Final = frozenset({CONNECT, DISCONNECT, DEFAULT})
MAXIMAL_TIMEOUT_MS: Final = 29_000
PART: Final = re.compile(r"\$\{request\.body\.([^}]+)\}|\$request\.body\.([\w.-]+)")


@dataclass(frozen=True, slots=True)
class Authorizer:
    """The Lambda authorizer of `$connect`; identity sources as `route.request.header.X`."""

    function: Function
    identity_sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """One route: the function behind it, and whether its answer goes back to the sender."""

    key: str
    function: Function
    timeout_ms: int = MAXIMAL_TIMEOUT_MS
    answers_sender: bool = False
    authorizer: Authorizer | None = None


@dataclass(frozen=True, slots=True)
class Api:
    """One WebSocket API with its one stage."""

    id: str
    stage: str
    selection: str
    routes: Mapping[str, Route]
    stage_variables: Mapping[str, str]


def select(api: Api, body: str) -> Route | None:
    """Return the route that a message takes: an exact match, else `$default`, else None.

    Facts A2: a missing path becomes the empty text, values are stringified, what is not JSON goes
    to `$default`, and keys that begin with `$` cannot be asked for.
    """
    try:
        document = json.loads(body)
    except ValueError:
        return api.routes.get(DEFAULT)
    key = PART.sub(lambda part: _at(document, part.group(1) or part.group(2)), api.selection)
    route = None if key in PREDEFINED else api.routes.get(key)
    return route or api.routes.get(DEFAULT)


def read_apis(template: Template, functions: Functions) -> dict[str, Api]:
    """Return the WebSocket APIs of the template by the name of their stage."""
    apis: dict[str, Api] = {}
    for resource in template.of_kind("AWS::ApiGatewayV2::Api"):
        if resource.properties.get("ProtocolType") == "WEBSOCKET":
            api = _api(template, functions, resource)
            if api.stage in apis:
                raise TemplateError(f"two WebSocket APIs have a stage {api.stage}")
            apis[api.stage] = api
    return apis


def by_heat(functions: Functions, apis: dict[str, Api]) -> list[Function]:
    """Return the functions in the order in which a first visitor will need them."""
    order: dict[str, Function] = {}
    for api in apis.values():
        for route in sorted(api.routes.values(), key=lambda route: route.key != CONNECT):
            if route.authorizer is not None:
                order[route.authorizer.function.logical_id] = route.authorizer.function
            order[route.function.logical_id] = route.function
    return list({**order, **functions.by_id}.values())


def _api(template: Template, functions: Functions, resource: Resource) -> Api:
    api_id = template.names.api_id(resource.logical_id)
    stages = _belonging(template, "AWS::ApiGatewayV2::Stage", api_id)
    if len(stages) != 1:
        raise TemplateError(f"{resource.logical_id} needs one stage, it has {len(stages)}")
    (stage,) = stages
    variables = stage.properties.get("StageVariables", {})
    routes = [
        _route(template, functions, route)
        for route in _belonging(template, "AWS::ApiGatewayV2::Route", api_id)
    ]
    return Api(
        id=api_id,
        stage=str(stage.properties["StageName"]),
        selection=str(resource.properties["RouteSelectionExpression"]),
        routes={route.key: route for route in routes},
        stage_variables={name: text(value) for name, value in variables.items()},
    )


def _route(template: Template, functions: Functions, resource: Resource) -> Route:
    properties = resource.properties
    integration = _integration(template, str(properties.get("Target", "")))
    if integration.properties.get("IntegrationType") != "AWS_PROXY":
        raise TemplateError(f"route {properties['RouteKey']} is not a Lambda proxy: not served")
    return Route(
        key=str(properties["RouteKey"]),
        function=functions.named(str(integration.properties["IntegrationUri"])),
        timeout_ms=int(integration.properties.get("TimeoutInMillis", MAXIMAL_TIMEOUT_MS)),
        answers_sender=_answers_sender(template, resource),
        authorizer=_authorizer(template, functions, properties),
    )


def _integration(template: Template, target: str) -> Resource:
    logical_id = target.removeprefix("integrations/")
    found = template.resources.get(logical_id)
    if found is None or found.kind != "AWS::ApiGatewayV2::Integration":
        raise TemplateError(f"a route has the target {target!r}, which is no integration")
    return found


def _answers_sender(template: Template, route: Resource) -> bool:
    # Both are needed on AWS: the expression on the route and a RouteResponse beside it.
    if route.properties.get("RouteResponseSelectionExpression") != DEFAULT:
        return False
    return any(
        response.properties.get("RouteId") == route.logical_id
        and response.properties.get("RouteResponseKey") == DEFAULT
        for response in template.of_kind("AWS::ApiGatewayV2::RouteResponse")
    )


def _authorizer(
    template: Template, functions: Functions, route: Mapping[str, Any]
) -> Authorizer | None:
    kind = route.get("AuthorizationType", "NONE")
    if kind == "NONE":
        return None
    if kind != "CUSTOM" or route["RouteKey"] != CONNECT:
        raise TemplateError(f"authorization {kind} on {route['RouteKey']} is not served")
    found = template.resources.get(str(route.get("AuthorizerId")))
    if found is None or found.properties.get("AuthorizerType") != "REQUEST":
        raise TemplateError("the authorizer of $connect must be of type REQUEST")
    sources = found.properties.get("IdentitySource", [])
    return Authorizer(
        function=functions.named(str(found.properties["AuthorizerUri"])),
        identity_sources=tuple(str(source) for source in sources),
    )


def _belonging(template: Template, kind: str, api_id: str) -> list[Resource]:
    return [one for one in template.of_kind(kind) if one.properties.get("ApiId") == api_id]


def _at(document: Json, path: str) -> str:
    for step in path.split("."):
        if not isinstance(document, Mapping) or step not in document:
            return ""
        document = document[step]
    return _stringified(document)


def _stringified(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
