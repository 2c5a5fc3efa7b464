"""Reads a template through the SAM transform and gives its resources with plain values.

Knows YAML, the transform and parameters; needs no network, region or credentials. Local code
paths pass the transform as `s3://local/...` and come out again as paths beside the template.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from infra.local.cloudformation.intrinsics import Place, Resolver, TemplateError, text
from infra.local.cloudformation.names import Names
from infra.local.json_values import Json

LOCAL_BUCKET: Final = "local"
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
CODE_PROPERTIES: Final[Mapping[str, str]] = {
    "AWS::Lambda::Function": "Code",
    "AWS::Lambda::LayerVersion": "Content",
    "AWS::Serverless::Function": "CodeUri",
    "AWS::Serverless::LayerVersion": "ContentUri",
}


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
    document = _transform(_with_local_code(_read(path)), _values(_read(path), parameters))
    values = _values(document, parameters)
    resolver = Resolver(
        place=place,
        parameters=values,
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
    return Template(path.parent, names, _resolved(wanted, resolver), values)


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


def _read(path: Path) -> dict[str, Any]:
    from samtranslator.yaml_helper import yaml_parse  # noqa: PLC0415  slow: once, when needed
    from yaml import YAMLError  # noqa: PLC0415  the same

    try:
        document = yaml_parse(path.read_text(encoding="utf-8"))
    except YAMLError as error:
        raise TemplateError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(document, dict) or not isinstance(document.get("Resources"), dict):
        raise TemplateError(f"{path} has no Resources")
    return document


def _transform(document: dict[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    # Half a second of imports: only the process that reads a template pays for them.
    from samtranslator.model.exceptions import InvalidDocumentException  # noqa: PLC0415
    from samtranslator.parser.parser import Parser  # noqa: PLC0415
    from samtranslator.translator.translator import Translator  # noqa: PLC0415

    translator = Translator(_NoPolicies(), Parser(), boto_session=_Session())
    try:
        translated = translator.translate(document, dict(parameters))
    except InvalidDocumentException as error:
        causes = "; ".join(str(cause.message) for cause in error.causes)
        raise TemplateError(f"the template does not pass the SAM transform: {causes}") from error
    return dict(translated)


def _with_local_code(document: dict[str, Any]) -> dict[str, Any]:
    for resource in document["Resources"].values():
        name = CODE_PROPERTIES.get(resource.get("Type", ""))
        if name is not None and name in resource.get("Properties", {}):
            properties = resource["Properties"]
            properties[name] = _marked(properties[name], name)
    code = document.get("Globals", {}).get("Function", {})
    if "CodeUri" in code:
        code["CodeUri"] = _marked(code["CodeUri"], "CodeUri")
    return document


def _marked(value: Json, name: str) -> Json:
    if not isinstance(value, str) or "://" in value:
        return value
    if name in {"Code", "Content"}:
        return {"S3Bucket": LOCAL_BUCKET, "S3Key": value}
    return f"s3://{LOCAL_BUCKET}/{value}"


def _values(document: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    declared: Mapping[str, Mapping[str, Any]] = document.get("Parameters") or {}
    unknown = sorted(set(given) - set(declared))
    if unknown:
        raise TemplateError(f"the template has no parameter {unknown[0]}")
    return {name: _value(name, one, given.get(name)) for name, one in declared.items()}


def _value(name: str, declared: Mapping[str, Any], given: str | None) -> Json:
    value = given if given is not None else declared.get("Default")
    if value is None:
        raise TemplateError(f"parameter {name} needs a value: --param {name}=...")
    allowed = [text(one) for one in declared.get("AllowedValues", [])]
    if allowed and text(value) not in allowed:
        raise TemplateError(f"parameter {name} is one of {', '.join(allowed)}, not {value}")
    if str(declared.get("Type", "")).startswith(("CommaDelimitedList", "List<")):
        return [part.strip() for part in text(value).split(",")]
    return text(value)


class _Session:
    """Stands in for a boto session: the transform wants a region to choose a partition."""

    region_name = "us-east-1"


class _NoPolicies(dict[str, str]):
    """Every managed policy by name: permissions are not enforced here, any ARN will do."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and not name.startswith("arn:")

    def __getitem__(self, name: str) -> str:
        return f"arn:aws:iam::aws:policy/{name}"
