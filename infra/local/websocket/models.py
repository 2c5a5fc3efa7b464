"""Models: the JSON schemas that the messages of a route must meet before a function is called.

Knows AWS::ApiGatewayV2::Model and a route's RequestModels (fact A2). Schemas are of draft 4; one
that refers to anything outside itself is refused, so that nothing is ever fetched.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import jsonschema_rs

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.json_values import Json
from infra.local.websocket.expressions import NotJson, document_of, evaluate

DEFAULT_MODEL: Final = "$default"


class Schema(Protocol):
    """Says whether a document is as it should be."""

    def is_valid(self, instance: Json) -> bool:
        """Say whether the document meets the schema."""


@dataclass(frozen=True, slots=True)
class Validation:
    """What a route asks of a message: the expression that names the model, and the models."""

    expression: str
    models: Mapping[str, Schema]

    def accepts(self, body: str) -> bool:
        """Say whether the message meets the model it names, or else the model `$default`.

        Without either it is refused, as is what is not JSON.
        """
        try:
            document = document_of(body)
        except NotJson:
            return False
        named = evaluate(self.expression, document)
        model = self.models.get(named) or self.models.get(DEFAULT_MODEL)
        return model is not None and _meets(model, document)


def read_validation(template: Template, route: Mapping[str, Any]) -> Validation | None:
    """Return what a route's properties ask of its messages; None without an expression."""
    expression = route.get("ModelSelectionExpression")
    if expression is None:
        return None
    named = route.get("RequestModels") or {}
    models = {
        key: _schema(_model(template, str(route["ApiId"]), str(name)))
        for key, name in named.items()
    }
    return Validation(str(expression), models)


def _meets(model: Schema, document: Json) -> bool:
    try:
        return model.is_valid(document)
    except ValueError:  # half of a surrogate pair, which no text that was UTF-8 can hold
        return False


def _model(template: Template, api_id: str, named: str) -> Resource:
    for resource in template.of_kind("AWS::ApiGatewayV2::Model"):
        is_named = named in {resource.properties.get("Name"), resource.logical_id}
        if is_named and resource.properties.get("ApiId") == api_id:
            return resource
    raise TemplateError(f"there is no model {named}")


def _schema(model: Resource) -> Schema:
    schema = model.properties.get("Schema")
    try:
        schema = json.loads(schema) if isinstance(schema, str) else schema
        if not isinstance(schema, dict):
            raise TemplateError(f"model {model.logical_id} has no schema")
        outside = [one for one in _references(schema) if not one.startswith("#")]
        if outside:
            raise TemplateError(f"model {model.logical_id} refers to {outside[0]}: not served")
        return jsonschema_rs.Draft4Validator(schema)
    except (ValueError, jsonschema_rs.ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise TemplateError(f"model {model.logical_id} is no JSON schema: {reason}") from error


def _references(schema: Json) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for part in schema.values():
            yield from _references(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _references(part)
