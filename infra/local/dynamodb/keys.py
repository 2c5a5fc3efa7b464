"""Whether a table that exists has the keys that the template says now.

A key cannot be changed, nor a local index added later: CloudFormation would make another table.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

Key: TypeAlias = list[tuple[str, str, str]]
"""Kind (HASH or RANGE), attribute and its type, in order."""


def difference(present: Mapping[str, Any], wanted: Mapping[str, Any]) -> str | None:
    """Return what of the keys of a table cannot be made what is wanted, None when nothing is."""
    if "KeySchema" in present and _key(present, present) != _key(wanted, wanted):
        return f"its key is {_told(_key(present, present))}, not {_told(_key(wanted, wanted))}"
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        had = {index["IndexName"]: _key(index, present) for index in present.get(kind, ())}
        for index in wanted.get(kind, ()):
            name, key = index["IndexName"], _key(index, wanted)
            if name in had and had[name] != key:
                return f"the key of index {name} is {_told(had[name])}, not {_told(key)}"
            if name not in had and kind == "LocalSecondaryIndexes":
                return f"it lacks the local index {name}"
    return None


def _key(of: Mapping[str, Any], table: Mapping[str, Any]) -> Key:
    types = {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}
    parts = [(one["KeyType"], one["AttributeName"]) for one in of["KeySchema"]]
    return sorted((kind, name, types[name]) for kind, name in parts)


def _told(key: Key) -> str:
    return " and ".join(f"{name} ({kind})" for _, name, kind in key)
