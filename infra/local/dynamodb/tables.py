"""The DynamoDB tables of a template, made where they are missing.

Knows what CreateTable takes of AWS::DynamoDB::Table. A table that exists is kept with what is in
it; indexes it lacks are added, and its stream is made what the template says.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.dynamodb.api import DynamoDbApi, RefusedError
from infra.local.dynamodb.keys import difference
from infra.local.dynamodb.ministack import MiniStackError
from infra.local.json_values import Json
from infra.local.logs import report

STREAM_VIEWS: Final = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")
EXISTS: Final = "ResourceInUseException"
INDEX_KEYS: Final = ("IndexName", "KeySchema", "Projection")


@dataclass(frozen=True, slots=True)
class Table:
    """One table: the arguments of CreateTable, and the attribute that holds its expiry."""

    name: str
    arguments: Mapping[str, Any]
    expires_by: str | None = None


def read_tables(template: Template) -> list[Table]:
    """Return the tables of the template."""
    kinds = ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
    return [_table(template, resource) for resource in template.of_kind(*kinds)]


async def create_tables(tables: Iterable[Table], api: DynamoDbApi) -> None:
    """Every table exists afterwards; raises MiniStackError for one that cannot be made."""
    for table in tables:
        try:
            await _create_table(table, api)
        except RefusedError as error:
            raise MiniStackError(f"table {table.name}: {error}") from error


async def _create_table(table: Table, api: DynamoDbApi) -> None:
    try:
        await api.call("CreateTable", table.arguments)
    except RefusedError as error:
        if error.code != EXISTS:
            raise
        described = (await api.call("DescribeTable", {"TableName": table.name}))["Table"]
        if what := difference(described, table.arguments):
            raise MiniStackError(
                f"table {table.name} is kept from before, and {what}: on AWS it would be another "
                "table. Name it otherwise, or begin with another --state."
            ) from None
        await _add_indexes(api, table, described)
        await _set_stream(api, table, described)
        await _keep_expired(api, table)


def _table(template: Template, resource: Resource) -> Table:
    properties = resource.properties
    name = template.names.name(resource.logical_id)
    arguments: dict[str, Any] = {
        "TableName": name,
        "AttributeDefinitions": properties["AttributeDefinitions"],
        "KeySchema": properties["KeySchema"],
        "BillingMode": "PAY_PER_REQUEST",
    }
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if properties.get(kind):
            arguments[kind] = [_index(index) for index in properties[kind]]
    if "StreamSpecification" in properties:
        view = _stream_view(resource)
        arguments["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": view}
    expiry = properties.get("TimeToLiveSpecification", {})
    return Table(name, arguments, expiry.get("AttributeName") if expiry.get("Enabled") else None)


def _stream_view(resource: Resource) -> str:
    view = resource.properties["StreamSpecification"].get("StreamViewType")
    if view not in STREAM_VIEWS:
        raise TemplateError(
            f"StreamViewType of {resource.logical_id} is one of {', '.join(STREAM_VIEWS)}"
        )
    return str(view)


def _index(index: Mapping[str, Any]) -> dict[str, Any]:
    return {key: index[key] for key in INDEX_KEYS if key in index}


async def _keep_expired(api: DynamoDbApi, table: Table) -> None:
    """Let MiniStack delete nothing by itself: `expiry` does that, by the system's clock."""
    described = await api.call("DescribeTimeToLive", {"TableName": table.name})
    if described["TimeToLiveDescription"].get("TimeToLiveStatus") == "ENABLED":
        attribute = described["TimeToLiveDescription"]["AttributeName"]
        specification = {"Enabled": False, "AttributeName": attribute}
        await _update(api, "UpdateTimeToLive", table, TimeToLiveSpecification=specification)


async def _set_stream(api: DynamoDbApi, table: Table, described: Mapping[str, Any]) -> None:
    """Turn the stream of a table on or off; one with another view is another stream."""
    wanted = table.arguments.get("StreamSpecification")
    present = described.get("StreamSpecification")
    if present == wanted:
        return
    report(f"table {table.name}: its stream is changed, what was in it is dropped")
    for specification in ({"StreamEnabled": False} if present else None, wanted):
        if specification is not None:
            await _update(api, "UpdateTable", table, StreamSpecification=specification)


async def _add_indexes(api: DynamoDbApi, table: Table, described: Mapping[str, Any]) -> None:
    present = {index["IndexName"] for index in described.get("GlobalSecondaryIndexes", [])}
    for index in table.arguments.get("GlobalSecondaryIndexes", []):
        if index["IndexName"] not in present:
            report(f"table {table.name}: index {index['IndexName']} is added")
            await _update(
                api,
                "UpdateTable",
                table,
                AttributeDefinitions=table.arguments["AttributeDefinitions"],
                GlobalSecondaryIndexUpdates=[{"Create": index}],
            )


async def _update(api: DynamoDbApi, operation: str, table: Table, **change: Json) -> None:
    await api.call(operation, {"TableName": table.name, **change})
