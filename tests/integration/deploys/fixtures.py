"""What every version stored, kept in `tests/data/stored`: one file for each schema of STATE.

`python -m tests.integration.deploys.fixtures` writes the file of the present schema, once: what a
version has stored does not change any more.
"""

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from shared.store.models import bind
from shared.store.state_item import SCHEMA
from tests.integration.deploys.rows import Rows, dump, load
from tests.integration.deploys.scenes import Table, View, set_up, shown, token_of
from tests.support.in_process import running
from tests.support.ministack import REGION, make_tables, running_ministack

# Made by a deployment at random when first needed; this one everybody may know.
KEYS: Final[Rows] = {
    "settings": [{"name": {"S": "signing_keys"}, "value": {"S": json.dumps(["known-to-all" * 3])}}]
}
FOLDER: Final = Path(__file__).parents[2] / "data" / "stored"


@dataclass(frozen=True, slots=True)
class Fixture:
    """Everything stored at the instant `now` (epoch ms), and what the players were shown."""

    now: int
    token: str
    player: str
    tables: dict[str, Table]
    views: dict[str, View]
    rows: Rows


def path_of(schema: int) -> Path:
    """Return where the fixture of a schema is."""
    return FOLDER / f"schema-{schema}.json"


def read(schema: int) -> Fixture:
    """Return what the versions with this schema stored."""
    found: dict[str, Any] = json.loads(path_of(schema).read_text(encoding="utf-8"))
    tables = {name: Table(**one) for name, one in found.pop("tables").items()}
    return Fixture(tables=tables, **found)


def main() -> None:
    """Write the fixture of the present schema. Exits with 1 if there is one."""
    path = path_of(SCHEMA)
    if path.exists():
        sys.exit(f"{path.name} exists: a new format needs a new schema number")
    with running_ministack() as endpoint, pytest.MonkeyPatch.context() as environment:
        for name, value in {
            "AWS_ENDPOINT_URL_DYNAMODB": endpoint,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": REGION,
            "AWS_CONFIG_FILE": os.devnull,
        }.items():
            environment.setenv(name, value)
        names = make_tables(endpoint)
        bind(names)
        load(KEYS, names)
        with running(names) as rig:
            player, token = token_of(rig)
            tables = set_up(rig)
            rows = dump(names)
            fixture = Fixture(rig.now, token, player, tables, shown(rig, tables), rows)
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps(asdict(fixture), indent=1, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
