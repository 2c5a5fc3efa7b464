"""Versions and aliases of functions, as they stand at the end of an ARN.

All of them run the code on disk here: the qualifier says only by which name a function was called.
"""

from typing import Final

from infra.local.cloudformation.template import Template

LATEST: Final = "$LATEST"
PARTS_OF_A_FUNCTION: Final = 7


def qualifier_of(arn: str) -> str:
    """Return the version or alias that an ARN names, `$LATEST` when it names none."""
    parts = arn.split(":")
    return parts[PARTS_OF_A_FUNCTION] if len(parts) > PARTS_OF_A_FUNCTION else LATEST


def qualified_arns(template: Template) -> frozenset[str]:
    """Return the ARNs of the versions and aliases of a template."""
    resources = template.of_kind("AWS::Lambda::Alias", "AWS::Lambda::Version")
    return frozenset(template.names.arn(one.logical_id) for one in resources)
