"""The parameters of a template: what was given, else the default, as CloudFormation types them."""

from collections.abc import Mapping
from typing import Any

from infra.local.cloudformation.intrinsics import TemplateError, text
from infra.local.json_values import Json


def values(document: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    """Return the value of each parameter; raises TemplateError for what is missing or unknown."""
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
