"""The DynamoDB tables of a template, made where they are missing.

Knows what CreateTable takes of AWS::DynamoDB::Table. A table that exists is kept with what is in
it; indexes it lacks are added, and its stream is made what the template says.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from infra.local.cloudformation.intrinsics import Place, TemplateError
from infra.local.cloudformation.template import Resource, Template
from infra.local.json_values import Json
from infra.local.logs import report

STREAM_VIEWS: Final = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")
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


def create_tables(tables: Iterable[Table], endpoint: str, place: Place) -> None:
    """Every table exists afterwards; blocks, so it runs in a thread."""
    import botocore.session  # noqa: PLC0415  a third of a second, paid while other things start

    # Arguments come from a template as plain values, so the typed client is of no use here.
    client = cast(
        "Any",
        botocore.session.get_session().create_client(
            "dynamodb",
            endpoint_url=endpoint,
            region_name=place.region,
            aws_access_key_id="local",
            aws_secret_access_key="local",  # noqa: S106  opens nothing
        ),
    )
    for table in tables:
        try:
            client.create_table(**table.arguments)
        except client.exceptions.ResourceInUseException:
            described = client.describe_table(TableName=table.name)["Table"]
            _add_indexes(client, table, described)
            _set_stream(client, table, described)
        else:
            _expire(client, table)


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


def _expire(client: Json, table: Table) -> None:
    if table.expires_by is not None:
        client.update_time_to_live(
            TableName=table.name,
            TimeToLiveSpecification={"Enabled": True, "AttributeName": table.expires_by},
        )


def _set_stream(client: Json, table: Table, described: Mapping[str, Any]) -> None:
    """Turn the stream of a table on or off; one with another view is another stream."""
    wanted = table.arguments.get("StreamSpecification")
    present = described.get("StreamSpecification")
    if present == wanted:
        return
    report(f"table {table.name}: its stream is changed, what was in it is dropped")
    for specification in ({"StreamEnabled": False} if present else None, wanted):
        if specification is not None:
            client.update_table(TableName=table.name, StreamSpecification=specification)


def _add_indexes(client: Json, table: Table, described: Mapping[str, Any]) -> None:
    present = {index["IndexName"] for index in described.get("GlobalSecondaryIndexes", [])}
    for index in table.arguments.get("GlobalSecondaryIndexes", []):
        if index["IndexName"] not in present:
            report(f"table {table.name}: index {index['IndexName']} is added")
            client.update_table(
                TableName=table.name,
                AttributeDefinitions=table.arguments["AttributeDefinitions"],
                GlobalSecondaryIndexUpdates=[{"Create": index}],
            )
