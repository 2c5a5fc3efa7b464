"""The documents of the protocol say what the product does, and the registries are whole."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from infra.tools.generate_protocol import GENERATED, main, stale
from infra.tools.protocol.asyncapi import document
from infra.tools.protocol.examples import as_json, said, told
from infra.tools.protocol.schemas import (
    INBOUND,
    OUTBOUND,
    closed_sets,
    refusals,
    schemas,
    words_of,
)
from shared.game.actions import ACTIONS
from shared.game.actions.action import GameAction
from shared.game.events import Happened
from shared.protocol import inbound
from shared.protocol.door import decode
from shared.protocol.inbound import SAYINGS
from shared.protocol.notices import notice

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "tests/data/asyncapi/3.0.0.json"
DOCUMENTS = [ROOT / name for name in GENERATED]


def test_the_generated_files_are_fresh() -> None:
    assert stale() == []
    assert main(["--check"]) == 0


def test_a_stale_file_is_noticed_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("infra.tools.generate_protocol.ROOT", tmp_path)
    assert main(["--check"]) == 1
    assert capsys.readouterr().out.count("is stale") == len(GENERATED)
    assert main([]) == 0
    assert main(["--check"]) == 0
    (tmp_path / "docs/protocol/tabiya.d.ts").write_text("")
    assert main(["--check"]) == 1
    assert capsys.readouterr().out.startswith("docs/protocol/tabiya.d.ts is stale")


def test_the_document_is_asyncapi_3() -> None:
    validator = jsonschema_rs.validator_for(json.loads(SCHEMA.read_text()))
    found = json.loads((ROOT / "docs/protocol/asyncapi.json").read_text())
    assert [error.message for error in validator.iter_errors(found)] == []
    assert not validator.is_valid({**found, "asyncapi": "2.6.0"})


def test_every_reference_in_the_document_leads_somewhere() -> None:
    found = document()
    references = re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(found))
    assert references
    for reference in references:
        at: Any = found
        for step in reference.split("/"):
            at = at[step]


def validator_of(name: str) -> jsonschema_rs.Validator:
    root = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas()}}
    return jsonschema_rs.validator_for(root)


@pytest.mark.parametrize("name", sorted(INBOUND))
def test_every_action_comes_through_the_door_as_its_own_example(name: str) -> None:
    example = said()[name]
    assert decode(msgspec.json.encode(example).decode()) == example
    assert type(example) is INBOUND[name]


@pytest.mark.parametrize("name", sorted(INBOUND))
def test_an_action_as_documented_knows_no_other_field(name: str) -> None:
    validator = validator_of(INBOUND[name].__name__)
    fields = as_json(said()[name])
    assert validator.is_valid(fields)
    assert not validator.is_valid({**fields, "another": 1})
    assert not validator.is_valid({**fields, "action": "another"})


@pytest.mark.parametrize("kind", OUTBOUND, ids=lambda kind: kind.__name__)
def test_every_message_of_the_server_is_as_documented(kind: type[msgspec.Struct]) -> None:
    example = told()[kind.__name__]
    assert type(example) is kind
    validator = validator_of(kind.__name__)
    assert [error.message for error in validator.iter_errors(as_json(example))] == []
    assert not validator.is_valid({**as_json(example), "event": "another"})


def test_every_in_game_action_is_registered_under_its_name() -> None:
    kinds = set(GameAction.__subclasses__())
    assert set(ACTIONS.values()) == kinds
    assert all(ACTIONS[str(kind.__struct_config__.tag)] is kind for kind in kinds)


def test_every_saying_is_registered_under_its_name() -> None:
    kinds = {kind for kind in vars(inbound).values() if is_saying(kind)}
    assert set(SAYINGS.values()) == kinds
    assert all(SAYINGS[str(kind.__struct_config__.tag)] is kind for kind in kinds)


def is_saying(kind: object) -> bool:
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return False
    return kind.__module__ == inbound.__name__ and not kind.__name__.startswith("_")


def test_no_action_has_two_meanings_and_each_can_be_a_route() -> None:
    assert not set(ACTIONS) & set(SAYINGS)
    assert all(re.fullmatch(r"[a-z][A-Za-z0-9]*", name) for name in INBOUND)
    assert not {"connect", "disconnect", "default"} & set(INBOUND)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_event_every_action_and_every_refusal_is_in_the_documents(path: Path) -> None:
    text = path.read_text()
    codes = {kind.code for kind in refusals()}
    for word in {*Happened, *INBOUND, *codes}:
        assert re.search(rf'["`]{word}["`]|### .*\b{word}\b', text), word


def test_events_have_one_shape_each() -> None:
    words = [word for kind in OUTBOUND for word in words_of(schemas()[kind.__name__])]
    assert len(words) == len(set(words))
    assert set(Happened) <= set(words)


def test_closed_sets_are_of_fields_that_exist() -> None:
    found = schemas()
    for name, field in closed_sets():
        assert found[name]["properties"][field]["enum"]


def messages_of_the_guide() -> Iterator[dict[str, Any]]:
    """Every JSON value in the guide, one after the other."""
    text = (ROOT / "docs/protocol/README.md").read_text()
    reader = json.JSONDecoder()
    for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL):
        rest = block.strip()
        while rest:
            fields, end = reader.raw_decode(rest)
            yield fields
            rest = rest[end:].strip()


def test_the_messages_in_the_guide_are_real() -> None:
    """Every example of the guide comes through the door, or is what the server may say."""
    by_word = {word: kind.__name__ for kind in OUTBOUND for word in words_of_kind(kind)}
    found = list(messages_of_the_guide())
    assert len(found) > 20
    for fields in found:
        if "action" in fields:
            decode(json.dumps(fields))
        elif "event" in fields:
            validator = validator_of(by_word[fields["event"]])
            assert [error.message for error in validator.iter_errors(fields)] == [], fields
        else:
            assert set(fields) == {"message", "connectionId", "requestId"}


def test_the_refusals_in_the_guide_exist_and_say_what_they_would() -> None:
    text = (ROOT / "docs/protocol/README.md").read_text()
    rows = re.findall(r"^\| (`[^|]+`) \|", text, re.MULTILINE)
    named = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
    assert "appOutdated" in named
    assert named <= {kind.code for kind in refusals()}
    for fields in messages_of_the_guide():
        if fields.get("event") == "refused":
            assert fields["notice"] == notice("en", fields["code"], fields["parameters"])


def words_of_kind(kind: type[msgspec.Struct]) -> list[str]:
    return words_of(schemas()[kind.__name__])
