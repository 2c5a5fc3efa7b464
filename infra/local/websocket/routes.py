"""The WebSocket APIs of a template: stage, routes, authorizer; and which route a message takes.

Knows AWS::ApiGatewayV2::* as the SAM transform leaves it or as somebody wrote it, and route
selection expressions. Opens no socket and calls no function.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.apigateway.throttles import RouteRates, read_rates
from infra.local.cloudformation.intrinsics import TemplateError, text
from infra.local.cloudformation.template import Resource, Template
from infra.local.lambdas.functions import Function, Functions
from infra.local.websocket import refusals
from infra.local.websocket.expressions import NotJson, document_of, evaluate
from infra.local.websocket.keys import IN_HEADER, read_key_source, read_keys
from infra.local.websocket.models import Validation, read_validation
from infra.local.websocket.parameters import read_required

CONNECT: Final = "$connect"
DISCONNECT: Final = "$disconnect"
DEFAULT: Final = "$default"
PREDEFINED: Final = frozenset({CONNECT, DISCONNECT, DEFAULT})
MAXIMAL_TIMEOUT_MS: Final = 29_000


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
    required: tuple[str, ...] = ()
    needs_key: bool = False
    validation: Validation | None = None


@dataclass(frozen=True, slots=True)
class Api:
    """One stage of a WebSocket API; `keys` are those that open it."""

    id: str
    stage: str
    selection: str
    routes: Mapping[str, Route]
    stage_variables: Mapping[str, str]
    rates: RouteRates = field(default_factory=RouteRates)
    key_source: str = IN_HEADER
    keys: frozenset[str] = frozenset()


def select(api: Api, body: str) -> Route | None:
    """Return the route that a message takes: an exact match, else `$default`, else None.

    Facts A2: a missing path becomes the empty text, values are stringified, what is not JSON goes
    to `$default`, and keys that begin with `$` cannot be asked for.
    """
    try:
        document = document_of(body)
    except NotJson:
        return api.routes.get(DEFAULT)
    key = evaluate(api.selection, document)
    route = None if key in PREDEFINED else api.routes.get(key)
    return route or api.routes.get(DEFAULT)


def read_apis(template: Template, functions: Functions) -> dict[str, Api]:
    """Return the WebSocket APIs of the template by the name of their stage."""
    apis: dict[str, Api] = {}
    for resource in template.of_kind("AWS::ApiGatewayV2::Api"):
        if resource.properties.get("ProtocolType") != "WEBSOCKET":
            continue
        for api in _stages(template, functions, resource):
            if api.stage in apis:
                # They share one host here, and its path says which stage is meant.
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


def _stages(template: Template, functions: Functions, resource: Resource) -> Iterator[Api]:
    api_id = template.names.api_id(resource.logical_id)
    refusals.check_api(resource)
    refusals.check_numbers(template, resource.logical_id, api_id)
    routes = _routes(template, functions, api_id)
    for stage in _belonging(template, "AWS::ApiGatewayV2::Stage", api_id):
        refusals.check_stage(stage)
        name, variables = str(stage.properties["StageName"]), stage.properties.get("StageVariables")
        yield Api(
            id=api_id,
            stage=name,
            selection=str(resource.properties["RouteSelectionExpression"]),
            routes=routes,
            stage_variables={key: text(value) for key, value in (variables or {}).items()},
            rates=read_rates(stage.properties, set(routes)),
            key_source=read_key_source(resource.properties),
            keys=read_keys(template, api_id, name),
        )


def _routes(template: Template, functions: Functions, api_id: str) -> dict[str, Route]:
    routes: dict[str, Route] = {}
    for resource in _belonging(template, "AWS::ApiGatewayV2::Route", api_id):
        refusals.check_route(resource)
        route = _route(template, functions, resource)
        if route.key in routes:
            raise TemplateError(f"two routes have the key {route.key}")
        routes[route.key] = route
    return routes


def _route(template: Template, functions: Functions, resource: Resource) -> Route:
    properties = resource.properties
    integration = _integration(template, str(properties.get("Target", "")))
    refusals.check_integration(integration, str(properties["RouteKey"]))
    return Route(
        key=str(properties["RouteKey"]),
        function=functions.named(str(integration.properties["IntegrationUri"])),
        timeout_ms=int(integration.properties.get("TimeoutInMillis", MAXIMAL_TIMEOUT_MS)),
        answers_sender=_answers_sender(template, resource),
        authorizer=_authorizer(template, functions, properties),
        required=read_required(properties),
        needs_key=str(properties.get("ApiKeyRequired")).lower() == "true",
        validation=read_validation(template, properties),
    )


def _integration(template: Template, target: str) -> Resource:
    logical_id = target.removeprefix("integrations/")
    found = template.resources.get(logical_id)
    if found is None or found.kind != "AWS::ApiGatewayV2::Integration":
        raise TemplateError(f"a route has the target {target!r}, which is no integration")
    return found


def _answers_sender(template: Template, route: Resource) -> bool:
    # Both are needed on AWS: the expression on the route and a RouteResponse beside it.
    expression = str(route.properties.get("RouteResponseSelectionExpression", ""))
    if expression.removeprefix("\\") != DEFAULT:
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
    if found is None or found.kind != "AWS::ApiGatewayV2::Authorizer":
        raise TemplateError("$connect names no authorizer of the template")
    refusals.check_authorizer(found)
    sources = found.properties.get("IdentitySource") or []
    return Authorizer(
        function=functions.named(str(found.properties["AuthorizerUri"])),
        identity_sources=tuple(str(source) for source in sources),
    )


def _belonging(template: Template, kind: str, api_id: str) -> list[Resource]:
    return [one for one in template.of_kind(kind) if one.properties.get("ApiId") == api_id]
