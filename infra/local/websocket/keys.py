"""API keys: which values open a stage, and where a client says his.

Knows AWS::ApiGateway::ApiKey, UsagePlan and UsagePlanKey (fact A3): a key counts when it is
enabled and in a plan that names the API's stage.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.logs import report

IN_HEADER: Final = "$request.header.x-api-key"
FROM_AUTHORIZER: Final = "$context.authorizer.usageIdentifierKey"
HEADER: Final = "x-api-key"


def read_key_source(api: Mapping[str, Any]) -> str:
    """Return where an API finds the key, one of the two expressions above."""
    source = str(api.get("ApiKeySelectionExpression", IN_HEADER))
    if source not in {IN_HEADER, FROM_AUTHORIZER}:
        raise TemplateError(f"ApiKeySelectionExpression {source} is refused by API Gateway")
    return source


def read_keys(template: Template, api_id: str, stage: str) -> frozenset[str]:
    """Return the values of the keys that open a stage."""
    plans = {plan.logical_id for plan in _plans(template, api_id, stage)}
    opening = {
        str(one.properties["KeyId"])
        for one in template.of_kind("AWS::ApiGateway::UsagePlanKey")
        if one.properties.get("UsagePlanId") in plans
    }
    return frozenset(_values(template, opening))


def _plans(template: Template, api_id: str, stage: str) -> Iterator[Resource]:
    for plan in template.of_kind("AWS::ApiGateway::UsagePlan"):
        given = plan.properties.get("ApiStages", [])
        if (api_id, stage) in [(one.get("ApiId"), one.get("Stage")) for one in given]:
            for name in sorted({"Throttle", "Quota"} & set(plan.properties)):
                report(f"{plan.logical_id}: {name} is left out")
            yield plan


def _values(template: Template, key_ids: set[str]) -> Iterator[str]:
    for key in template.of_kind("AWS::ApiGateway::ApiKey"):
        if key.logical_id in key_ids and _is_enabled(key):
            yield str(key.properties.get("Value") or _made(template, key))


def _is_enabled(key: Resource) -> bool:
    # CloudFormation's default is a key that opens nothing.
    return str(key.properties.get("Enabled")).lower() == "true"


def _made(template: Template, key: Resource) -> str:
    # As on AWS a key without a value gets one; here the same at every start.
    name = template.names.name(key.logical_id)
    value = hashlib.sha256(name.encode()).hexdigest()[:40]
    report(f"{key.logical_id} has no Value: the key is {value}")
    return value
