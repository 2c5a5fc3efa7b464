"""What API Gateway refuses of a WebSocket API when it is deployed, and what is not served here.

Pure (facts A3, A5 and SAM): raises TemplateError in one line, before anything runs, rather than
let a project work here that cannot be deployed.
"""

from collections.abc import Mapping
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.websocket.expressions import strangers

MOST: Final[Mapping[str, int]] = {
    "AWS::ApiGatewayV2::Authorizer": 10,
    "AWS::ApiGatewayV2::Integration": 300,
    "AWS::ApiGatewayV2::Route": 300,
    "AWS::ApiGatewayV2::Stage": 10,
}
PREDEFINED: Final = frozenset({"$connect", "$disconnect", "$default"})
TIMEOUTS_MS: Final = range(50, 29_001)
OF_HTTP_APIS: Final = (
    "AuthorizerPayloadFormatVersion",
    "AuthorizerResultTtlInSeconds",
    "EnableSimpleResponses",
    "JwtConfiguration",
)
SOURCES: Final = (
    "route.request.header.",
    "route.request.querystring.",
    "stageVariables.",
    "context.",
)
CHANGES_EVENTS: Final = ("ContentHandlingStrategy", "RequestParameters", "RequestTemplates")


def check_api(api: Resource) -> None:
    """Refuse an API that cannot say which route a message takes."""
    expression = api.properties.get("RouteSelectionExpression")
    if not expression:
        raise TemplateError(f"{api.logical_id} needs a RouteSelectionExpression")
    for variable in strangers(str(expression)):
        raise TemplateError(f"RouteSelectionExpression: ${variable} is not $request.body.<path>")


def check_numbers(template: Template, logical_id: str, api_id: str) -> None:
    """Refuse an API with more of something than the quotas allow, or without a stage."""
    counts = dict.fromkeys(MOST, 0)
    for resource in template.of_kind(*MOST):
        counts[resource.kind] += resource.properties.get("ApiId") == api_id
    for kind, count in counts.items():
        if count > MOST[kind]:
            what = kind.rpartition("::")[2].lower()
            raise TemplateError(f"{logical_id} has {count} {what}s, at most {MOST[kind]} may be")
    if not counts["AWS::ApiGatewayV2::Stage"]:
        raise TemplateError(f"{logical_id} has no stage")


def check_stage(stage: Resource) -> None:
    """Refuse a stage name that is for HTTP APIs only."""
    name = stage.properties.get("StageName")
    if not name or name == "$default":
        raise TemplateError(
            f"{stage.logical_id}: a WebSocket API has no stage {name or ''}".strip()
        )


def check_route(route: Resource) -> None:
    """Refuse reserved keys, and an API key where a client has no header to bring it in."""
    key = str(route.properties.get("RouteKey", ""))
    if not key or (key.startswith("$") and key not in PREDEFINED):
        raise TemplateError(f"{route.logical_id}: {key!r} may not be a route key")
    needs_key = str(route.properties.get("ApiKeyRequired")).lower() == "true"
    if needs_key and key != "$connect":
        raise TemplateError(f"ApiKeyRequired on {key}: served on $connect only")


def check_integration(integration: Resource, route_key: str) -> None:
    """Refuse what is no Lambda proxy, what would change its event, and forbidden time-outs."""
    properties = integration.properties
    if properties.get("IntegrationType") != "AWS_PROXY":
        raise TemplateError(f"route {route_key} is not a Lambda proxy: not served")
    for name in CHANGES_EVENTS:
        if properties.get(name):
            raise TemplateError(f"{name} of the integration of {route_key} is not served")
    timeout = properties.get("TimeoutInMillis")
    if timeout is not None and int(timeout) not in TIMEOUTS_MS:
        raise TemplateError(f"route {route_key}: a time-out is 50 to 29000 ms, not {timeout}")


def check_authorizer(authorizer: Resource) -> None:
    """Refuse whatever authorizers of WebSocket APIs do not have."""
    properties: Mapping[str, Any] = authorizer.properties
    if properties.get("AuthorizerType") != "REQUEST":
        raise TemplateError("the authorizer of $connect must be of type REQUEST")
    for name in OF_HTTP_APIS:
        if name in properties:
            raise TemplateError(f"{name} is refused for an authorizer of a WebSocket API")
    for source in properties.get("IdentitySource") or []:
        if not str(source).startswith(SOURCES):
            raise TemplateError(f"the identity source {source} is not of a WebSocket API")
