"""What resources are called here: names, ARNs, URLs.

Knows the naming rules of the resource types that are served. A name given in the template is
kept; otherwise it is the stack's name and the logical id. Nothing here opens a connection.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.cloudformation.intrinsics import Resolver, TemplateError, text
from infra.local.json_values import Json

NAME_PROPERTY: Final[Mapping[str, str]] = {
    "AWS::DynamoDB::GlobalTable": "TableName",
    "AWS::DynamoDB::Table": "TableName",
    "AWS::Events::Rule": "Name",
    "AWS::Lambda::Function": "FunctionName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::Scheduler::Schedule": "Name",
    "AWS::Scheduler::ScheduleGroup": "Name",
}

ARN_PATTERN: Final[Mapping[str, str]] = {
    "AWS::DynamoDB::GlobalTable": "dynamodb:{region}:{account}:table/{name}",
    "AWS::DynamoDB::Table": "dynamodb:{region}:{account}:table/{name}",
    "AWS::Events::Rule": "events:{region}:{account}:rule/{name}",
    "AWS::IAM::Role": "iam::{account}:role/{name}",
    "AWS::Lambda::Function": "lambda:{region}:{account}:function:{name}",
    "AWS::Lambda::LayerVersion": "lambda:{region}:{account}:layer:{name}:1",
    "AWS::SQS::Queue": "sqs:{region}:{account}:{name}",
    "AWS::Scheduler::Schedule": "scheduler:{region}:{account}:schedule/default/{name}",
}

# The instant at which a stream was made; always this one, so that it is known beforehand.
STREAM_LABEL: Final = "2025-01-01T00:00:00.000"

REF_IS_ARN: Final = frozenset({"AWS::Lambda::LayerVersion"})
POINTS_AT_FUNCTION: Final = frozenset({"AWS::Lambda::Alias", "AWS::Lambda::Version"})


@dataclass(frozen=True, slots=True)
class Names:
    """Names the resources of one stack; `base_url` is where the gateway listens."""

    resolver: Resolver
    resources: Mapping[str, Mapping[str, Any]]
    base_url: str

    def name(self, logical_id: str) -> str:
        """Return the physical name of a resource."""
        resource = self._resource(logical_id)
        given = self._property(resource, NAME_PROPERTY.get(resource["Type"], ""))
        if given is not None:
            return text(given)
        # CloudFormation gives a FIFO queue the ending that it must have.
        is_fifo = text(self._property(resource, "FifoQueue")).lower() == "true"
        return f"{self.resolver.place.stack}-{logical_id}{'.fifo' if is_fifo else ''}"

    def arn(self, logical_id: str) -> str:
        """Return the ARN of a resource."""
        resource = self._resource(logical_id)
        if resource["Type"] in POINTS_AT_FUNCTION:
            return self._qualified_arn(logical_id, resource)
        place = self.resolver.place
        service = str(resource["Type"]).split("::")[1].lower()
        pattern = ARN_PATTERN.get(resource["Type"], service + ":{region}:{account}:{name}")
        rest = pattern.format(
            region=place.region, account=place.account, name=self.name(logical_id)
        )
        return f"arn:{place.partition}:{rest}"

    def api_id(self, logical_id: str) -> str:
        """Return the ten characters that API Gateway would give as an id, always the same ones."""
        stack = self.resolver.place.stack
        return hashlib.sha256(f"{stack}/{logical_id}".encode()).hexdigest()[:10]

    def queue_url(self, logical_id: str) -> str:
        """Return the URL that SQS clients are given for a queue."""
        return f"{self.base_url}/_sqs/{self.resolver.place.account}/{self.name(logical_id)}"

    def ref(self, logical_id: str) -> str:
        """Return what `Ref` gives for the resource."""
        kind = self._resource(logical_id)["Type"]
        if kind == "AWS::SQS::Queue":
            return self.queue_url(logical_id)
        if kind == "AWS::ApiGatewayV2::Api":
            return self.api_id(logical_id)
        if kind == "AWS::ApiGatewayV2::Stage":
            return text(self._property(self._resource(logical_id), "StageName"))
        if kind in REF_IS_ARN or kind in POINTS_AT_FUNCTION:
            return self.arn(logical_id)
        return self.name(logical_id) if kind in NAME_PROPERTY else logical_id

    def attribute(self, logical_id: str, attribute: str) -> str:
        """Return what `Fn::GetAtt` gives for the resource and the attribute."""
        kind = self._resource(logical_id)["Type"]
        if attribute == "Arn":
            return self.arn(logical_id)
        if attribute == "StreamArn":
            return self._stream_arn(logical_id)
        if kind == "AWS::SQS::Queue":
            return self.queue_url(logical_id) if attribute == "QueueUrl" else self.name(logical_id)
        if kind == "AWS::ApiGatewayV2::Api":
            return self._api_attribute(logical_id, attribute)
        if attribute == "APIKeyId":
            return logical_id
        return f"{self.name(logical_id)}.{attribute}"

    def _stream_arn(self, logical_id: str) -> str:
        properties = self._resource(logical_id).get("Properties", {})
        if "StreamSpecification" not in properties:
            raise TemplateError(f"{logical_id} has no StreamArn: it has no StreamSpecification")
        return f"{self.arn(logical_id)}/stream/{STREAM_LABEL}"

    def _api_attribute(self, logical_id: str, attribute: str) -> str:
        if attribute == "ApiEndpoint":
            protocol = self._property(self._resource(logical_id), "ProtocolType")
            is_websocket = protocol == "WEBSOCKET"
            return self.base_url.replace("http", "ws", 1) if is_websocket else self.base_url
        return self.api_id(logical_id)

    def _qualified_arn(self, logical_id: str, resource: Mapping[str, Any]) -> str:
        function = self._property(resource, "FunctionName")
        qualifier = self._property(resource, "Name") or "1"
        for candidate, other in self.resources.items():
            known = {candidate, self.name(candidate), self.arn_of_function(candidate)}
            if other["Type"] == "AWS::Lambda::Function" and function in known:
                return f"{self.arn(candidate)}:{qualifier}"
        raise TemplateError(f"{logical_id} points at no function of the template")

    def arn_of_function(self, logical_id: str) -> str | None:
        """Return the ARN of a function; None when the resource is not one."""
        is_function = self._resource(logical_id)["Type"] == "AWS::Lambda::Function"
        return self.arn(logical_id) if is_function else None

    def _property(self, resource: Mapping[str, Any], name: str) -> Json:
        return self.resolver.resolve(resource.get("Properties", {}).get(name))

    def _resource(self, logical_id: str) -> Mapping[str, Any]:
        resource = self.resources.get(logical_id)
        if resource is None:
            raise TemplateError(f"{logical_id} is neither a parameter nor a resource")
        return resource
