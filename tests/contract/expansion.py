"""What CloudFormation would make of template.yaml: the SAM transform, run here.

Knows how to read the template and follow references in it; expects nothing of its content.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

TEMPLATE = Path(__file__).parents[2] / "template.yaml"

Json = Any  # a template is nested text; the tests check what they look up in it
Resources = dict[str, dict[str, Json]]


class _NoManagedPolicies:
    def load(self) -> dict[str, str]:
        return {}


def expand(text: str) -> Resources:
    """Return the resources of a SAM template after the transform, by logical id."""
    template = yaml_parse(text)
    for resource in template["Resources"].values():
        for code in ("CodeUri", "ContentUri"):
            if code in resource["Properties"]:
                resource["Properties"][code] = "s3://bucket/key"  # as `sam package` would
    with patch.dict(os.environ, {"AWS_DEFAULT_REGION": "eu-west-1"}):
        expanded: dict[str, Resources] = transform(template, {}, _NoManagedPolicies())
    return expanded["Resources"]


def of_type(resources: Resources, kind: str) -> dict[str, Json]:
    """Return the properties of every resource of a type, by logical id."""
    return {
        name: resource.get("Properties", {})
        for name, resource in resources.items()
        if resource["Type"] == kind
    }


def references(value: Json) -> Iterator[str]:
    """Yield every logical id (and parameter) that a value refers to, DependsOn left out."""
    match value:
        case {"Ref": str(name)} | {"Fn::GetAtt": [str(name), *_]}:
            yield name
        case {"Fn::Sub": [str(text), dict(values)]}:
            yield from references({"Fn::Sub": text})
            yield from references(values)
        case {"Fn::Sub": str(text)}:
            yield from (name.split(".")[0] for name in re.findall(r"\$\{([^!}]+)\}", text))
        case dict():
            for inner in value.values():
                yield from references(inner)
        case list():
            for inner in value:
                yield from references(inner)
