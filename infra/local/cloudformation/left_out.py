"""Tells which resources of a template nobody plays here, where functions may well call them."""

from typing import Final

from infra.local.cloudformation.template import SERVED, Template

# What needs no playing: rights, logs, alarms, and what only a deployment knows.
NEVER_CALLED: Final = (
    "AWS::ApiGateway",
    "AWS::ApplicationAutoScaling::",
    "AWS::Budgets::",
    "AWS::CertificateManager::",
    "AWS::CloudFormation::",
    "AWS::CloudFront::",
    "AWS::CloudWatch::",
    "AWS::CodeDeploy::",
    "AWS::IAM::",
    "AWS::KMS::",
    "AWS::Logs::",
    "AWS::Route53::",
    "AWS::SQS::",
    "AWS::WAFv2::",
    "AWS::XRay::",
)


def left_out(template: Template) -> str | None:
    """Return one line that names them; None when there are none."""
    found = [
        f"{logical_id} ({resource['Type']})"
        for logical_id, resource in template.names.resources.items()
        if not str(resource["Type"]).startswith((*SERVED, *NEVER_CALLED))
    ]
    return f"not served: {', '.join(found)}" if found else None
