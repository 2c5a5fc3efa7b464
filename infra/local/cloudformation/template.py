"""The resources of a template that passed the SAM transform, with plain values.

Knows which kinds of resource are served. Local code paths come out of the transform as
`s3://local/...` and are paths beside the template again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from infra.local.cloudformation.intrinsics import Place, Resolver, TemplateError
from infra.local.cloudformation.names import Names
from infra.local.cloudformation.parameters import values
from infra.local.cloudformation.transform import LOCAL_BUCKET, Source, transformed
from infra.local.json_values import Json

SERVED: Final = (
    "AWS::ApiGateway::ApiKey",
    "AWS::ApiGateway::UsagePlan",
    "AWS::ApiGatewayV2::",
    "AWS::DynamoDB::",
    "AWS::Events::",
    "AWS::Lambda::",
    "AWS::SQS::Queue",
    "AWS::Scheduler::",
)


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of the template, its properties resolved."""

    logical_id: str
    kind: str
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Template:
    """The resources of a transformed template and their names."""

    folder: Path
    names: Names
    resources: Mapping[str, Resource]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        """Where the stack pretends to stand."""
        return self.names.resolver.place

    def of_kind(self, *kinds: str) -> Iterator[Resource]:
        """Yield the resources of the given CloudFormation types."""
        return (one for one in self.resources.values() if one.kind in kinds)

    def code_path(self, code: Json) -> Path:
        """Return the folder that a `Code` or `Content` property names."""
        if isinstance(code, Mapping) and code.get("S3Bucket") == LOCAL_BUCKET:
            return (self.folder / str(code["S3Key"])).resolve()
        raise TemplateError(f"code is served from local folders only, not from {code!r}")


def load(path: Path, place: Place, base_url: str, parameters: Mapping[str, str]) -> Template:
    """Return the template at `path`; raises TemplateError in words for the operator."""
    source = Source(path, parameters)
    return template_of(transformed(source), source, place, base_url)


def template_of(
    document: Mapping[str, Any], source: Source, place: Place, base_url: str
) -> Template:
    """Return what `source` is after the transform, with plain values; raises TemplateError."""
    known = values(document, source.parameters)
    resolver = Resolver(
        place=place,
        parameters=known,
        mappings=document.get("Mappings", {}),
        conditions=document.get("Conditions", {}),
    )
    wanted = {
        logical_id: resource
        for logical_id, resource in document.get("Resources", {}).items()
        if "Condition" not in resource or resolver.holds(resource["Condition"])
    }
    names = Names(resolver, wanted, base_url)
    resolver.naming = names
    return Template(source.path.parent, names, _resolved(wanted, resolver), known)


def _resolved(
    resources: Mapping[str, Mapping[str, Any]], resolver: Resolver
) -> dict[str, Resource]:
    served = {
        logical_id: resource
        for logical_id, resource in resources.items()
        if str(resource["Type"]).startswith(SERVED)
    }
    return {
        logical_id: Resource(
            logical_id, resource["Type"], resolver.resolve(resource.get("Properties", {}))
        )
        for logical_id, resource in served.items()
    }
