"""Reads an HTTP API that is written as an OpenAPI document, as the SAM transform writes it.

Knows the `x-amazon-apigateway-*` extensions; turns their camelCase into the properties of
CloudFormation and leaves the rest to whoever reads those.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.httpapi.cors import Cors
from infra.local.httpapi.parts import (
    authorizer,
    check_key,
    cors,
    integration_function,
    timeout_ms,
)
from infra.local.httpapi.routes import ANY, DEFAULT, Authorizer, Route
from infra.local.json_values import Json
from infra.local.lambdas.functions import Functions

INTEGRATION: Final = "x-amazon-apigateway-integration"
AUTHORIZER: Final = "x-amazon-apigateway-authorizer"
CORS: Final = "x-amazon-apigateway-cors"
ANY_METHOD: Final = "x-amazon-apigateway-any-method"
METHODS: Final = frozenset({"delete", "get", "head", "options", "patch", "post", "put", ANY_METHOD})
SPELLED: Final[Mapping[str, str]] = {
    "identitySource": "IdentitySource",
    "subtype": "IntegrationSubtype",
    "type": "IntegrationType",
    "uri": "IntegrationUri",
}


@dataclass(frozen=True, slots=True)
class Document:
    """What an OpenAPI document says of an HTTP API."""

    routes: tuple[Route, ...] = ()
    cors: Cors | None = None


def read_document(body: Mapping[str, Any], functions: Functions) -> Document:
    """Return what the document says; nothing for an empty one."""
    given = body.get(CORS)
    schemes = (body.get("components") or {}).get("securitySchemes") or {}
    return Document(
        routes=tuple(
            Route(
                key=key,
                function=integration_function(key, integration, functions),
                timeout_ms=timeout_ms(key, integration),
                authorizer=_authorizer(key, _security(operation, body), schemes, functions),
            )
            for key, operation in _operations(body.get("paths") or {})
            for integration in [_integration(key, operation)]
        ),
        cors=None if given is None else cors(_cased(given)),
    )


def _operations(paths: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, operations in paths.items():
        for method, operation in operations.items():
            if path in {DEFAULT, f"/{DEFAULT}"}:
                yield DEFAULT, operation
            elif method in METHODS:
                name = ANY if method == ANY_METHOD else method.upper()
                yield check_key(f"{name} {path}"), operation


def _integration(key: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    given = operation.get(INTEGRATION)
    if not isinstance(given, Mapping) or "$ref" in given:
        raise TemplateError(f"route {key} has no integration of its own: not served")
    cased = _cased(given)
    # API Gateway takes either case here, and SAM writes small letters.
    return {**cased, "IntegrationType": str(cased.get("IntegrationType")).upper()}


def _security(operation: Mapping[str, Any], body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    asked: list[Mapping[str, Any]] = operation.get("security", body.get("security")) or []
    return [one for one in asked if one and "NONE" not in one]


def _authorizer(
    key: str, security: list[Mapping[str, Any]], schemes: Mapping[str, Any], functions: Functions
) -> Authorizer | None:
    if not security:
        return None
    (name, *more) = security[0]
    if more or len(security) > 1:
        raise TemplateError(f"route {key} has several authorizers: an HTTP API takes one")
    given = (schemes.get(name) or {}).get(AUTHORIZER)
    if not isinstance(given, Mapping) or str(given.get("type")).lower() != "request":
        raise TemplateError(f"route {key}: {name} is no Lambda authorizer, others are not served")
    properties = {**_cased(given), "AuthorizerType": "REQUEST"}
    return authorizer(name, {**properties, "IdentitySource": _sources(given)}, functions)


def _sources(given: Mapping[str, Any]) -> list[str]:
    sources: Json = given.get("identitySource") or []
    listed = sources.split(",") if isinstance(sources, str) else sources
    return [str(source).strip() for source in listed]


def _cased(given: Mapping[str, Any]) -> dict[str, Any]:
    return {SPELLED.get(name, name[:1].upper() + name[1:]): value for name, value in given.items()}
