"""A table that exists is kept, and is made what the template says now."""

from collections.abc import Mapping
from typing import Any

import pytest

from infra.local.cloudformation.intrinsics import Place
from infra.local.dynamodb.api import DynamoDbApi, RefusedError
from infra.local.dynamodb.ministack import MiniStackError
from infra.local.dynamodb.tables import Table, create_tables

NEW = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
KEYS = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
OFF = {"StreamEnabled": False}


class FakeApi(DynamoDbApi):
    """A DynamoDB in which the table exists; notes how it is changed."""

    def __init__(self, stream: Any = None, time_to_live: Any = None) -> None:  # noqa: ANN401 - JSON
        super().__init__("http://127.0.0.1:1", Place())
        self.described: dict[str, Any] = {} if stream is None else {"StreamSpecification": stream}
        self.time_to_live = time_to_live or {"TimeToLiveStatus": "DISABLED"}
        self.changes: list[Any] = []

    async def call(self, operation: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        match operation:
            case "CreateTable":
                raise RefusedError("ResourceInUseException", "it exists")
            case "DescribeTable":
                return {"Table": self.described}
            case "DescribeTimeToLive":
                return {"TimeToLiveDescription": self.time_to_live}
        self.changes.append({name: value for name, value in body.items() if name != "TableName"})
        return {}


def table(stream: Any = None) -> Table:  # noqa: ANN401 - JSON
    return Table("t", {} if stream is None else {"StreamSpecification": stream}, "expires")


@pytest.mark.parametrize(
    ("present", "wanted", "changes"),
    [
        (None, None, []),
        (NEW, NEW, []),
        (None, NEW, [NEW]),
        (NEW, None, [OFF]),
        (NEW, KEYS, [OFF, KEYS]),
    ],
)
async def test_its_stream_is_made_what_the_template_says(
    present: Any,  # noqa: ANN401 - JSON
    wanted: Any,  # noqa: ANN401 - JSON
    changes: list[Any],
) -> None:
    api = FakeApi(present)
    await create_tables([table(wanted)], api)
    assert [one["StreamSpecification"] for one in api.changes] == changes


async def test_it_deletes_nothing_by_itself() -> None:
    api = FakeApi(time_to_live={"TimeToLiveStatus": "ENABLED", "AttributeName": "then"})
    await create_tables([table()], api)
    off = {"Enabled": False, "AttributeName": "then"}
    assert api.changes == [{"TimeToLiveSpecification": off}]


async def test_what_cannot_be_made_is_told_with_its_name() -> None:
    class Refusing(FakeApi):
        async def call(self, operation: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
            raise RefusedError("ValidationException", "no")

    with pytest.raises(MiniStackError, match="table t: no"):
        await create_tables([table()], Refusing())


async def test_a_table_with_another_key_is_not_taken_for_this_one() -> None:
    def keyed(name: str) -> dict[str, Any]:
        return {
            "KeySchema": [{"AttributeName": name, "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"}],
        }

    api = FakeApi()
    api.described = keyed("id")
    with pytest.raises(MiniStackError, match=r"table t .* its key is id \(S\), not other \(S\)"):
        await create_tables([Table("t", keyed("other"))], api)
    assert api.changes == []
