"""Where AWS clients find the services of this system, and what its resources are called."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.cloudformation.template import Template
from infra.local.websocket.routes import Api

MANAGEMENT: Final = "AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The addresses of the services; `stage` is the first WebSocket API's."""

    base_url: str
    dynamodb: str
    stage: str | None
    has_front: bool = False

    @property
    def dynamodb_of_functions(self) -> str:
        """Where functions find DynamoDB: behind its front, if it has one."""
        return f"{self.base_url}/_dynamodb" if self.has_front else self.dynamodb

    @property
    def sqs(self) -> str:
        """Where the queues are."""
        return f"{self.base_url}/_sqs"

    @property
    def lambdas(self) -> str:
        """Where functions are invoked."""
        return f"{self.base_url}/_lambda"

    def variables(self) -> dict[str, str]:
        """Return the environment that leads AWS clients here; no service leads elsewhere."""
        variables = {
            "AWS_ENDPOINT_URL": self.dynamodb,
            "AWS_ENDPOINT_URL_DYNAMODB": self.dynamodb_of_functions,
            "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": self.dynamodb,
            "AWS_ENDPOINT_URL_SQS": self.sqs,
            "AWS_ENDPOINT_URL_LAMBDA": self.lambdas,
        }
        if self.stage is not None:
            variables[MANAGEMENT] = self._management(self.stage)
        return variables

    def of_functions(self, apis: Mapping[str, Api]) -> dict[str, dict[str, str]]:
        """Return, for the functions behind routes, where the connections of their own API are.

        By logical id; a function that several stages call gets the first of them.
        """
        own: dict[str, dict[str, str]] = {}
        for stage, api in apis.items():
            for route in api.routes.values():
                address = {MANAGEMENT: self._management(stage)}
                own.setdefault(route.function.logical_id, address)
        return own

    def _management(self, stage: str) -> str:
        return f"{self.base_url}/{stage}"


def described(template: Template, stages: Iterable[str], endpoints: Endpoints) -> dict[str, Any]:
    """Return names and endpoints in the shape of the control API."""
    names = template.names
    functions = template.of_kind("AWS::Lambda::Function")
    queues = template.of_kind("AWS::SQS::Queue")
    tables = template.of_kind("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
    return {
        "region": template.place.region,
        "dynamodb": endpoints.dynamodb,
        "dynamodbOfFunctions": endpoints.dynamodb_of_functions,
        "sqs": endpoints.sqs,
        "lambda": endpoints.lambdas,
        "functions": {one.logical_id: names.name(one.logical_id) for one in functions},
        "stages": list(stages),
        "tables": {one.logical_id: names.name(one.logical_id) for one in tables},
        "queues": {one.logical_id: names.queue_url(one.logical_id) for one in queues},
    }
