"""The Lambda functions of a template: what each needs to be run.

Knows AWS::Lambda::Function after the transform, and finds a function by any of the forms in
which other resources name it (ARN, invocation URI, name).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError, text
from infra.local.cloudformation.template import Resource, Template

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


def read_functions(template: Template) -> Functions:
    """Return the functions of the template; raises TemplateError for what cannot be run."""
    return Functions(
        {
            resource.logical_id: _function(template, resource)
            for resource in template.of_kind("AWS::Lambda::Function")
        }
    )


def _function(template: Template, resource: Resource) -> Function:
    properties = resource.properties
    runtime = str(properties.get("Runtime", ""))
    if not runtime.startswith("python"):
        raise TemplateError(f"{resource.logical_id} runs on {runtime or 'an image'}: not served")
    code = template.code_path(properties.get("Code"))
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
    )


def _variables(properties: Mapping[str, Any]) -> dict[str, str]:
    variables = properties.get("Environment", {}).get("Variables", {})
    return {name: text(value) for name, value in variables.items()}


def _unqualified(reference: str) -> str:
    parts = reference.split(":")
    return ":".join(parts[:ARN_PARTS_OF_A_FUNCTION]) if parts[0] == "arn" else reference
