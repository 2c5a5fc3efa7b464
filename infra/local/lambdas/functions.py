"""The Lambda functions of a template: what each needs to be run.

Knows AWS::Lambda::Function after the transform, and finds a function by any of the forms in
which other resources name it (ARN, invocation URI, name).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError, text
from infra.local.cloudformation.template import Resource, Template
from infra.local.lambdas.inline import laid_out
from infra.local.lambdas.layers import Layered, layered, read_layers

INVOCATION_URI: Final = re.compile(r"functions/(arn:[^/]+)/invocations")
ARN_PARTS_OF_A_FUNCTION: Final = 7
DEFAULT_TIMEOUT_S: Final = 3
DEFAULT_MEMORY_MB: Final = 128


@dataclass(frozen=True, slots=True)
class Function:
    """One function: its code, its handler, its limits and its own environment variables."""

    logical_id: str
    name: str
    arn: str
    handler: str
    code: Path
    timeout_s: float
    memory_mb: int
    variables: Mapping[str, str]
    layered: Layered = field(default_factory=Layered)


@dataclass(frozen=True, slots=True)
class Functions:
    """All functions of a template."""

    by_id: Mapping[str, Function]

    def __iter__(self) -> Iterator[Function]:
        return iter(self.by_id.values())

    def named(self, reference: str) -> Function:
        """Return the function that an ARN, an invocation URI or a name means."""
        found = INVOCATION_URI.search(reference)
        plain = _unqualified(found.group(1) if found else reference)
        for function in self.by_id.values():
            if plain in {function.arn, function.name, function.logical_id}:
                return function
        raise TemplateError(f"{reference} names no function of the template")


def read_functions(template: Template, scratch: Path | None = None) -> Functions:
    """Return the functions of the template; raises TemplateError for what cannot be run.

    Code that stands in the template is laid out in the folder `scratch`.
    """
    layers = read_layers(template)
    return Functions(
        {
            resource.logical_id: _function(template, resource, layers, scratch)
            for resource in template.of_kind("AWS::Lambda::Function")
        }
    )


def _function(
    template: Template,
    resource: Resource,
    layers: Mapping[str, Path | None],
    scratch: Path | None,
) -> Function:
    properties = resource.properties
    runtime = str(properties.get("Runtime", ""))
    if not runtime.startswith("python"):
        raise TemplateError(f"{resource.logical_id} runs on {runtime or 'an image'}: not served")
    code = _code(template, resource, scratch)
    if not code.is_dir():
        raise TemplateError(f"the code of {resource.logical_id} is missing: no folder {code}")
    return Function(
        logical_id=resource.logical_id,
        name=template.names.name(resource.logical_id),
        arn=template.names.arn(resource.logical_id),
        handler=str(properties["Handler"]),
        code=code,
        timeout_s=float(properties.get("Timeout", DEFAULT_TIMEOUT_S)),
        memory_mb=int(properties.get("MemorySize", DEFAULT_MEMORY_MB)),
        variables=_variables(properties),
        layered=layered(properties.get("Layers") or [], layers),
    )


def _code(template: Template, resource: Resource, scratch: Path | None) -> Path:
    code = resource.properties.get("Code")
    if isinstance(code, Mapping) and "ZipFile" in code and scratch is not None:
        return laid_out(resource.logical_id, str(code["ZipFile"]), scratch)
    return template.code_path(code)


def _variables(properties: Mapping[str, Any]) -> dict[str, str]:
    variables = properties.get("Environment", {}).get("Variables", {})
    return {name: text(value) for name, value in variables.items()}


def _unqualified(reference: str) -> str:
    parts = reference.split(":")
    return ":".join(parts[:ARN_PARTS_OF_A_FUNCTION]) if parts[0] == "arn" else reference
