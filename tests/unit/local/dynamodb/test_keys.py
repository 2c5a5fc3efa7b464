"""Keys of a table that exists, held against those of the template."""

from typing import Any

import pytest

from infra.local.dynamodb.keys import difference

HASH = {"AttributeName": "id", "KeyType": "HASH"}
RANGE = {"AttributeName": "at", "KeyType": "RANGE"}


def table(*key: dict[str, str], at: str = "N", **indexes: Any) -> dict[str, Any]:  # noqa: ANN401 - lists of indexes
    types = [("id", "S"), ("at", at), ("by", "S")]
    definitions = [{"AttributeName": name, "AttributeType": type_} for name, type_ in types]
    return {"KeySchema": list(key), "AttributeDefinitions": definitions, **indexes}


def index(name: str, *key: dict[str, str]) -> list[dict[str, Any]]:
    return [{"IndexName": name, "KeySchema": list(key)}]


def test_the_same_keys_are_no_difference() -> None:
    by = index("by", {"AttributeName": "by", "KeyType": "HASH"})
    same = table(HASH, RANGE, GlobalSecondaryIndexes=by)
    assert difference(same, table(RANGE, HASH, GlobalSecondaryIndexes=by)) is None
    assert difference(table(HASH), table(HASH, GlobalSecondaryIndexes=by)) is None


@pytest.mark.parametrize(
    ("present", "wanted", "told"),
    [
        (table(HASH), table(HASH, RANGE), "its key is id (S), not id (S) and at (N)"),
        (table(HASH, RANGE), table(HASH, RANGE, at="S"), "at (N), not id (S) and at (S)"),
        (
            table(HASH, GlobalSecondaryIndexes=index("i", HASH)),
            table(HASH, GlobalSecondaryIndexes=index("i", HASH, RANGE)),
            "the key of index i is id (S), not id (S) and at (N)",
        ),
        (
            table(HASH, RANGE),
            table(HASH, RANGE, LocalSecondaryIndexes=index("l", HASH, RANGE)),
            "it lacks the local index l",
        ),
    ],
)
def test_what_cannot_be_changed_is_told(
    present: dict[str, Any], wanted: dict[str, Any], told: str
) -> None:
    said = difference(present, wanted)
    assert said is not None
    assert told in said
