"""The parts of an HTTP API as templates write them: integrations, authorizers, CORS, route keys.

Pure. Takes properties as CloudFormation spells them (`PayloadFormatVersion`); raises TemplateError
for what is not served, and for what API Gateway refuses when it is deployed.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.httpapi.authorizer import MAXIMAL_TTL_S, is_source
from infra.local.httpapi.cors import ANY_OF_SCHEME, ANY_ORIGIN, Cors
from infra.local.httpapi.events import VERSION
from infra.local.httpapi.routes import DEFAULT, GREEDY, MAXIMAL_TIMEOUT_MS, Authorizer, kind
from infra.local.lambdas.functions import Function, Functions

KEY: Final = re.compile(
    r"(?:ANY|GET|HEAD|OPTIONS|PATCH|POST|PUT|DELETE) /(?:[^/{}]*|\{[\w.:-]+\+?\})"
    r"(?:/(?:[^/{}]*|\{[\w.:-]+\+?\}))*"
)
TIMEOUTS_MS: Final = range(50, MAXIMAL_TIMEOUT_MS + 1)
CHANGES_REQUESTS: Final = (
    "IntegrationSubtype",
    "RequestParameters",
    "ResponseParameters",
    "TlsConfig",
)
SCHEMES: Final = ("http://", "https://")


def check_key(key: str) -> str:
    """Return a route key. Raises TemplateError for one that API Gateway does not take."""
    if key != DEFAULT and not KEY.fullmatch(key):
        raise TemplateError(f"{key!r} is no route key like 'GET /path/{{variable}}'")
    segments = key.split("/")
    if any(kind(segment) == GREEDY for segment in segments[:-1]):
        raise TemplateError(f"route {key}: a greedy variable must be the last part of the path")
    return key


def integration_function(key: str, given: Mapping[str, Any], functions: Functions) -> Function:
    """Return the function of an integration that is served."""
    if given.get("IntegrationType") != "AWS_PROXY":
        raise TemplateError(f"route {key} is not a Lambda proxy: not served")
    for name in CHANGES_REQUESTS:
        if given.get(name):
            raise TemplateError(f"route {key}: {name} of its integration is not served")
    check_version(f"route {key}", given.get("PayloadFormatVersion"))
    return functions.named(str(given.get("IntegrationUri")))


def timeout_ms(key: str, given: Mapping[str, Any]) -> int:
    """Return how long API Gateway waits for an integration."""
    timeout = int(given.get("TimeoutInMillis") or MAXIMAL_TIMEOUT_MS)
    if timeout not in TIMEOUTS_MS:
        raise TemplateError(f"route {key}: TimeoutInMillis is 50 to {MAXIMAL_TIMEOUT_MS}")
    return timeout


def authorizer(name: str, given: Mapping[str, Any], functions: Functions) -> Authorizer:
    """Return a Lambda authorizer."""
    if given.get("AuthorizerType") != "REQUEST":
        raise TemplateError(f"authorizer {name}: only Lambda authorizers (REQUEST) are served")
    check_version(f"authorizer {name}", given.get("AuthorizerPayloadFormatVersion"))
    sources = tuple(str(source) for source in given.get("IdentitySource") or ())
    for source in sources:
        if not is_source(source):
            raise TemplateError(f"authorizer {name}: identity source {source} is not served")
    ttl_s = int(given.get("AuthorizerResultTtlInSeconds") or 0)
    if ttl_s not in range(MAXIMAL_TTL_S + 1):
        raise TemplateError(f"authorizer {name}: results are kept 0 to {MAXIMAL_TTL_S} seconds")
    if ttl_s and not sources:
        raise TemplateError(f"authorizer {name} keeps results but has no identity source")
    return Authorizer(
        name=name,
        function=functions.named(str(given.get("AuthorizerUri"))),
        identity_sources=sources,
        has_simple_responses=_is_true(given.get("EnableSimpleResponses")),
        ttl_s=ttl_s,
    )


def cors(given: Mapping[str, Any]) -> Cors:
    """Return a CORS configuration."""
    max_age = given.get("MaxAge")
    read = Cors(
        origins=_texts(given, "AllowOrigins"),
        methods=_texts(given, "AllowMethods"),
        headers=_texts(given, "AllowHeaders"),
        exposed=_texts(given, "ExposeHeaders"),
        max_age_s=None if max_age is None else int(max_age),
        has_credentials=_is_true(given.get("AllowCredentials")),
    )
    for origin in read.origins:
        if origin not in {ANY_ORIGIN, *ANY_OF_SCHEME} and not origin.startswith(SCHEMES):
            raise TemplateError(f"CORS: the origin {origin} has no scheme")
    if read.has_credentials and ANY_ORIGIN in read.origins:
        raise TemplateError("CORS: AllowCredentials cannot go with the origin *")
    return read


def check_version(whose: str, version: object) -> None:
    """Refuse what does not ask for payload format 2.0 in so many words, as AWS does."""
    if str(version) != VERSION:
        told = "no payload format version" if version is None else f"payload format {version}"
        raise TemplateError(f"{whose} has {told}: only {VERSION} is served")


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(str(one) for one in given.get(name) or ())


def _is_true(value: object) -> bool:
    return str(value).lower() == "true"
