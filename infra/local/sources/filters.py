"""FilterCriteria of event source mappings: which records reach a function.

Knows that a record passes when one filter matches it, where the data of a record lie (`body` of
a queue message, `dynamodb` of a stream record), and that text and JSON do not match each other.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource
from infra.local.json_values import Json
from infra.local.logs import report
from infra.local.sources.patterns import Field, Inner, Pattern, PatternError, pattern
from infra.local.sources.written import document

MOST_FILTERS: Final = 5
LONGEST_PATTERN: Final = 4096
BODY: Final = "body"
DYNAMODB: Final = "dynamodb"


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of one mapping; with none, everything passes."""

    patterns: tuple[Pattern, ...] = ()

    def pass_message(self, record: Mapping[str, Any]) -> bool:
        """Say whether a record of a queue passes; its body is JSON or plain text."""
        if not self.patterns:
            return True
        metadata = document(json.dumps({**record, BODY: None}))
        body = str(record[BODY])
        parsed = _parsed(body)
        return any(_message_matches(one, metadata, body, parsed) for one in self.patterns)

    def pass_change(self, record: Mapping[str, Any]) -> bool:
        """Say whether a record of a DynamoDB stream passes."""
        if not self.patterns:
            return True
        seen = document(json.dumps(record))
        return any(one.matches(seen) for one in self.patterns)


def read_filters(resource: Resource) -> Filters:
    """Return the filters of an event source mapping; raises TemplateError."""
    criteria = resource.properties.get("FilterCriteria") or {}
    listed = criteria.get("Filters") or []
    if len(listed) > MOST_FILTERS:
        raise TemplateError(
            f"{resource.logical_id} has {len(listed)} filters: AWS takes {MOST_FILTERS} by default"
        )
    return Filters(tuple(_pattern(resource, one.get("Pattern", "{}")) for one in listed))


def read_change_filters(resource: Resource) -> Filters:
    """Return the filters of a mapping from a DynamoDB stream; raises TemplateError."""
    filters = read_filters(resource)
    for one in filters.patterns:
        for part in one.parts:
            if isinstance(part, Field) and part.key == DYNAMODB:
                raise TemplateError(f"{resource.logical_id}: {DYNAMODB} in a filter is an object")
    if "numeric" in json.dumps(resource.properties.get("FilterCriteria", {})):
        report(
            f"{resource.logical_id}: numeric filters never match, numbers of DynamoDB are strings"
        )
    return filters


def _pattern(resource: Resource, given: Json) -> Pattern:
    text = given if isinstance(given, str) else json.dumps(given)
    if len(text) > LONGEST_PATTERN:
        raise TemplateError(
            f"{resource.logical_id}: a filter is longer than {LONGEST_PATTERN} characters"
        )
    try:
        return pattern(text)
    except PatternError as error:
        raise TemplateError(f"a filter of {resource.logical_id}: {error}") from None


def _parsed(body: str) -> Json:
    """Return a body that is a JSON object or list, None for any other: that is plain text."""
    try:
        read = document(body)
    except ValueError:
        return None
    return read if isinstance(read, dict | list) else None


def _message_matches(one: Pattern, metadata: Json, body: str, parsed: Json) -> bool:
    is_json = parsed is not None
    bodies = [part for part in one.parts if isinstance(part, Field | Inner) and part.key == BODY]
    if any(isinstance(part, Inner) is not is_json for part in bodies):
        return False
    return one.matches({**metadata, BODY: parsed if is_json else body})
