"""Reads the HTTP APIs of a template: raw resources, and what the SAM transform makes of its own.

Knows AWS::ApiGatewayV2::{Api,Route,Integration,Authorizer,Stage} with the protocol HTTP. What
would be served otherwise than on AWS is refused (TemplateError, one line).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.apigateway.throttles import read_rates
from infra.local.cloudformation.intrinsics import TemplateError, text
from infra.local.cloudformation.template import Resource, Template
from infra.local.httpapi.openapi import read_document
from infra.local.httpapi.parts import (
    authorizer,
    check_key,
    cors,
    integration_function,
    timeout_ms,
)
from infra.local.httpapi.routes import DEFAULT, Authorizer, HttpApi, Route, Stage
from infra.local.lambdas.functions import Functions

MOST_ROUTES: Final = 300
UNSERVED: Final = ("AWS::ApiGatewayV2::ApiGatewayManagedOverrides",)


@dataclass(frozen=True, slots=True)
class Source:
    """Where APIs are read from."""

    template: Template
    functions: Functions

    def belonging(self, kind: str, api_id: str) -> list[Resource]:
        """Return the resources of one API."""
        found = self.template.of_kind(f"AWS::ApiGatewayV2::{kind}")
        return [one for one in found if one.properties.get("ApiId") == api_id]

    def named(self, kind: str, logical_id: str, whose: str) -> Resource:
        """Return a resource by its logical id. Raises TemplateError when it is no such one."""
        found = self.template.resources.get(logical_id)
        if found is None or found.kind != f"AWS::ApiGatewayV2::{kind}":
            raise TemplateError(f"{whose} names {logical_id!r}, which is no {kind.lower()}")
        return found


def read_http_apis(template: Template, functions: Functions) -> tuple[HttpApi, ...]:
    """Return the HTTP APIs of the template."""
    for resource in template.of_kind(*UNSERVED):
        raise TemplateError(f"{resource.logical_id}: {resource.kind} is not served")
    source = Source(template, functions)
    apis = tuple(
        _api(source, resource)
        for resource in template.of_kind("AWS::ApiGatewayV2::Api")
        if resource.properties.get("ProtocolType") != "WEBSOCKET"
    )
    _check_stages(apis)
    return apis


def _api(source: Source, resource: Resource) -> HttpApi:
    properties = resource.properties
    if "BodyS3Location" in properties:
        raise TemplateError(f"{resource.logical_id}: BodyS3Location is not served, Body is")
    api_id = source.template.names.api_id(resource.logical_id)
    document = read_document(properties.get("Body") or {}, source.functions)
    routes = (
        *document.routes,
        *_quick_route(source, resource),
        *(_route(source, one) for one in source.belonging("Route", api_id)),
    )
    _check_routes(resource.logical_id, routes)
    given = properties.get("CorsConfiguration")
    return HttpApi(
        id=api_id,
        routes=routes,
        stages=_stages(source, resource, api_id, routes),
        cors=document.cors if given is None else cors(given),
    )


def _quick_route(source: Source, resource: Resource) -> list[Route]:
    """Return the route that `Target` makes, with the newest payload format."""
    target = resource.properties.get("Target")
    if target is None:
        return []
    key = check_key(str(resource.properties.get("RouteKey", DEFAULT)))
    return [Route(key, source.functions.named(str(target)))]


def _route(source: Source, resource: Resource) -> Route:
    properties = resource.properties
    key = check_key(str(properties["RouteKey"]))
    target = str(properties.get("Target", "")).removeprefix("integrations/")
    integration = source.named("Integration", target, f"route {key}").properties
    return Route(
        key=key,
        function=integration_function(key, integration, source.functions),
        timeout_ms=timeout_ms(key, integration),
        authorizer=_authorizer(source, key, properties),
    )


def _authorizer(source: Source, key: str, route: Mapping[str, Any]) -> Authorizer | None:
    kind = route.get("AuthorizationType", "NONE")
    if kind == "NONE":
        return None
    if kind != "CUSTOM":
        raise TemplateError(f"route {key} has the authorization {kind}: only CUSTOM is served")
    name = str(route.get("AuthorizerId"))
    found = source.named("Authorizer", name, f"route {key}")
    return authorizer(name, found.properties, source.functions)


def _stages(
    source: Source, resource: Resource, api_id: str, routes: Iterable[Route]
) -> tuple[Stage, ...]:
    keys = {route.key for route in routes}
    stages = tuple(
        Stage(
            name=str(one.properties["StageName"]),
            variables={
                name: text(value)
                for name, value in (one.properties.get("StageVariables") or {}).items()
            },
            rates=read_rates(one.properties, keys),
        )
        for one in source.belonging("Stage", api_id)
    )
    if "Target" in resource.properties and not stages:
        return (Stage(DEFAULT),)
    if not stages:
        raise TemplateError(f"{resource.logical_id} has no stage")
    return stages


def _check_routes(logical_id: str, routes: tuple[Route, ...]) -> None:
    keys = [route.key for route in routes]
    double = sorted(key for key in set(keys) if keys.count(key) > 1)
    if double:
        raise TemplateError(f"{logical_id} has the route {double[0]} twice")
    if len(keys) > MOST_ROUTES:
        raise TemplateError(f"{logical_id} has {len(keys)} routes, at most {MOST_ROUTES} may be")


def _check_stages(apis: Iterable[HttpApi]) -> None:
    names = [stage.name for api in apis for stage in api.stages]
    double = sorted(name for name in set(names) if names.count(name) > 1)
    if double:
        # On AWS each API has a host of its own; here they share one.
        raise TemplateError(f"two HTTP APIs have a stage {double[0]}: give one another name")
