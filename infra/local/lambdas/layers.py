"""Layers of a template that need no building: what lies in their `python` folder, as in /opt.

A layer that is made of a requirements.txt, or by a Makefile, is not built here: folders given with
`--layer` and the interpreter's own packages stand for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Template

FOLDER: Final = "python"
PACKAGES: Final = "lib/python3.*/site-packages"


@dataclass(frozen=True, slots=True)
class Layered:
    """Folders that a function's layers put on its path, and the layers that are not served."""

    folders: tuple[Path, ...] = ()
    unbuilt: tuple[str, ...] = ()


def read_layers(template: Template) -> dict[str, Path | None]:
    """Return each layer's folder by its ARN; None where it would have to be built."""
    return {
        template.names.arn(layer.logical_id): _folder(template, layer.properties)
        for layer in template.of_kind("AWS::Lambda::LayerVersion")
    }


def layered(arns: Sequence[Any], layers: Mapping[str, Path | None]) -> Layered:
    """Return what the layers of one function give it here; the first ones are found first."""
    folders: list[Path] = []
    unbuilt = []
    for arn in map(str, arns):
        folder = layers.get(arn)
        if folder is None:
            unbuilt.append(arn.split(":")[6] if arn.count(":") >= 6 else arn)  # noqa: PLR2004  the name's place in an ARN
        else:
            folders += [folder, *sorted(folder.glob(PACKAGES))]
    return Layered(tuple(folders), tuple(unbuilt))


def _folder(template: Template, properties: Mapping[str, Any]) -> Path | None:
    try:
        folder = template.code_path(properties.get("Content")) / FOLDER
    except TemplateError:
        return None
    return folder if folder.is_dir() else None
