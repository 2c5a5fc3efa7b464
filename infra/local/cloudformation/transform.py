"""The SAM transform: a template file in, CloudFormation as plain JSON values out.

Local code paths pass it as `s3://local/...`, for it knows no others.

`python -m infra.local.cloudformation.transform FILE PARAMETERS` prints it: the translator costs
half a second of imports and 35 MB, which a process of its own gives back. No network, no account.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.parameters import values
from infra.local.json_values import Json

LOCAL_BUCKET: Final = "local"
CODE_PROPERTIES: Final[Mapping[str, str]] = {
    "AWS::Lambda::Function": "Code",
    "AWS::Lambda::LayerVersion": "Content",
    "AWS::Serverless::Function": "CodeUri",
    "AWS::Serverless::LayerVersion": "ContentUri",
}


@dataclass(frozen=True, slots=True)
class Source:
    """A template file, and what its parameters are given."""

    path: Path
    parameters: Mapping[str, str] = field(default_factory=dict)


def main() -> None:
    """Print the transformed template, or what is wrong with it."""
    path, parameters = sys.argv[1:]
    answer: dict[str, Json] = {}
    try:
        answer["document"] = transformed(Source(Path(path), json.loads(parameters)))
    except TemplateError as error:
        answer["error"] = str(error)
    json.dump(answer, sys.stdout)


def transformed(source: Source) -> dict[str, Any]:
    """Return the template after the transform; raises TemplateError."""
    document = _read(source.path)
    wanted = values(document, source.parameters)
    plain: dict[str, Any] = json.loads(
        json.dumps(_translated(_with_local_code(document), wanted), default=_text_of)
    )
    return plain


def _text_of(value: Json) -> str:
    """YAML takes an unquoted 2012-10-17 for a date; a template means the text."""
    if isinstance(value, date):
        return value.isoformat()
    raise TemplateError(f"the template holds {value!r}, which is no JSON")


def _read(path: Path) -> dict[str, Any]:
    from samtranslator.yaml_helper import yaml_parse  # noqa: PLC0415  slow: once, when needed
    from yaml import YAMLError  # noqa: PLC0415  the same

    try:
        document = yaml_parse(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise TemplateError(f"{path} is not UTF-8 text") from error
    except YAMLError as error:
        raise TemplateError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(document, dict) or not isinstance(document.get("Resources"), dict):
        raise TemplateError(f"{path} has no Resources")
    return document


def _translated(document: dict[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    from samtranslator.model.exceptions import InvalidDocumentException  # noqa: PLC0415  the same
    from samtranslator.parser.parser import Parser  # noqa: PLC0415  the same
    from samtranslator.translator.translator import Translator  # noqa: PLC0415  the same

    translator = Translator(_NoPolicies(), Parser(), boto_session=_Session())
    try:
        translated = translator.translate(document, dict(parameters))
    except InvalidDocumentException as error:
        causes = "; ".join(str(cause.message) for cause in error.causes)
        raise TemplateError(f"the template does not pass the SAM transform: {causes}") from error
    finally:
        translator.metrics.publish()  # to nobody; else it complains when the process ends
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


class _Session:
    """Stands in for a boto session: the transform wants a region to choose a partition."""

    region_name = "us-east-1"


class _NoPolicies(dict[str, str]):
    """Every managed policy by name: permissions are not enforced here, any ARN will do."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and not name.startswith("arn:")

    def __getitem__(self, name: str) -> str:
        return f"arn:aws:iam::aws:policy/{name}"


if __name__ == "__main__":
    main()
