import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.game.actions import ACTIONS
from shared.game.actions.move import Move
from shared.game.refusal import Refusal
from shared.protocol.door import MAX_MESSAGE, action_of, decode, id_of
from shared.protocol.errors import Malformed, TooLong, UnknownAction, UnknownField
from shared.protocol.inbound import SAYINGS, CreateTable
from tests.unit.protocol.messages import ID, NAMES, TABLE, VALID, any_json, any_text, valid

FIELDS = sorted({field for message in VALID.values() for field in message} | {"totalMs"})


def refusal(message: object) -> Refusal:
    text = message if isinstance(message, str) else json.dumps(message)
    with pytest.raises(Refusal) as caught:
        decode(text)
    return caught.value


def assert_refused(message: object, kind: type[Refusal], **parameters: object) -> None:
    found = refusal(message)
    assert type(found) is kind
    assert found.parameters == parameters


@pytest.mark.parametrize("name", NAMES)
def test_every_action_comes_through_as_its_own_class(name: str) -> None:
    assert type(decode(json.dumps(VALID[name]))) is {**ACTIONS, **SAYINGS}[name]


def test_a_move_arrives_as_it_was_sent() -> None:
    message = decode(json.dumps(valid("move", uci="e7e8n")))
    assert message == Move(id=ID, table=TABLE, game=1, ply=4, uci="e7e8n")


def test_a_table_without_wishes_gets_the_usual_time_control() -> None:
    message = decode(json.dumps({"action": "createTable", "id": ID}))
    assert isinstance(message, CreateTable)
    assert (message.time_control.total_ms, message.time_control.per_move_ms) == (900_000, 60_000)


@pytest.mark.parametrize(
    "text",
    ["", " ", "hello", "{", "[]", "null", "1", '"move"', "{}}", '{"action":NaN}', "\ufeff{}"],
)
def test_what_is_no_json_object_is_malformed(text: str) -> None:
    assert_refused(text, Malformed)


@pytest.mark.parametrize("text", ['{"action":"\ud800"}', '{"action":"\\ud800"}', "\udfff"])
def test_half_a_surrogate_pair_is_malformed(text: str) -> None:
    assert_refused(text, Malformed)


@pytest.mark.parametrize("name", ["action", "table", "anything"])
def test_deep_nesting_is_malformed(name: str) -> None:
    text = json.dumps(valid("sync"))[:-1] + f',"{name}":' + "[" * 1_900 + "]" * 1_900 + "}"
    assert_refused(text, Malformed)


@pytest.mark.parametrize("action", [None, 1, True, ["move"], {"move": 1}])
def test_an_action_that_is_no_text_is_malformed(action: object) -> None:
    assert_refused({"action": action, "id": ID}, Malformed, field="action")


def test_a_message_without_an_action_is_malformed() -> None:
    assert_refused({"id": ID}, Malformed, field="action")


@pytest.mark.parametrize("action", ["", "Move", "moved", "connect", "$connect", "x" * 4_000])
def test_an_action_that_does_not_exist_is_unknown(action: str) -> None:
    assert_refused({"action": action, "id": ID}, UnknownAction)


@pytest.mark.parametrize("name", NAMES)
def test_a_field_that_does_not_exist_is_named(name: str) -> None:
    assert_refused(valid(name, player="someone"), UnknownField, field="player")


def test_a_field_that_does_not_exist_within_the_time_control_is_named() -> None:
    message = valid("createTable", timeControl={"total": 60_000})
    assert_refused(message, UnknownField, field="timeControl.total")


def test_a_misspelt_field_is_called_unknown_rather_than_the_right_one_missing() -> None:
    message = valid("move")
    message["UCI"] = message.pop("uci")
    assert_refused(message, UnknownField, field="UCI")


def test_the_name_of_an_unknown_field_is_repeated_short_and_clean() -> None:
    found = refusal(valid("ping", **{"a\u202eb\n\x00" + "c" * 100: 1}))
    assert found.parameters == {"field": "ab" + "c" * 30}


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_id_is_named(name: str) -> None:
    message = valid(name)
    del message["id"]
    assert_refused(message, Malformed, field="id")


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("move", "ply", -1),
        ("move", "ply", 1.5),
        ("move", "ply", 10**300),
        ("move", "ply", True),
        ("move", "ply", "4"),
        ("move", "game", 0),
        ("move", "uci", None),
        ("move", "table", "short"),
        ("move", "id", "no good id here!"),
        ("sync", "v", -1),
        ("acceptDraw", "v", None),
        ("createTable", "colour", "green"),
        ("createTable", "timeControl", None),
        ("createTable", "timeControl", [1]),
        ("joinTable", "code", 123456),
    ],
)
def test_a_field_that_holds_the_wrong_thing_is_named(name: str, field: str, value: object) -> None:
    assert_refused(valid(name, **{field: value}), Malformed, field=field)


def test_a_wrong_field_within_the_time_control_is_named() -> None:
    message = valid("createTable", timeControl={"incrementMs": "2"})
    assert_refused(message, Malformed, field="timeControl.incrementMs")


@pytest.mark.parametrize(
    ("name", "field", "limit"),
    [("move", "uci", 16), ("joinTable", "code", 256), ("createTable", "ruleset", 16)],
)
def test_a_text_over_its_limit_is_too_long(name: str, field: str, limit: int) -> None:
    assert decode(json.dumps(valid(name, **{field: "x" * limit})))
    assert_refused(valid(name, **{field: "x" * (limit + 1)}), TooLong, limit=limit, field=field)


def test_a_message_over_the_limit_is_not_even_parsed() -> None:
    text = json.dumps(VALID["ping"])
    assert decode(text + " " * (MAX_MESSAGE - len(text)))
    assert_refused(text + " " * (MAX_MESSAGE + 1 - len(text)), TooLong, limit=4_096)
    assert_refused("[" * 1_000_000, TooLong, limit=4_096)
    assert id_of(text + " " * MAX_MESSAGE) is None


def test_a_second_action_in_the_same_message_is_malformed() -> None:
    text = json.dumps(valid("resign"))[:-1] + ',"action":"abort"}'
    assert_refused(text, Malformed)


def test_the_id_is_known_however_bad_the_rest_is() -> None:
    assert id_of(json.dumps(valid("move", uci=7, nonsense=[]))) == ID
    assert id_of(json.dumps({"action": "nonsense", "id": ID})) == ID
    assert id_of(json.dumps({"id": ID})) == ID


@pytest.mark.parametrize("id", [None, 1, "", ID + "x", ID[:-1], ID + "\n", ID[:-1] + "é", [ID]])
def test_an_id_that_is_none_is_not_repeated(id: object) -> None:
    assert id_of(json.dumps({"action": "ping", "id": id})) is None


def test_the_action_is_known_where_there_is_such_an_action() -> None:
    assert action_of(json.dumps(valid("move", uci=7))) == "move"
    for text in ('{"action":"nonsense"}', '{"action":1}', "{}", "nonsense", "\ud800"):
        assert action_of(text) is None
        assert id_of(text) is None


def assert_only_refusals(text: str) -> None:
    id_of(text)
    action_of(text)
    try:
        decode(text)
    except Refusal as found:
        assert type(found) in {Malformed, UnknownAction, UnknownField, TooLong}  # noqa: PT017


@given(any_text)
def test_any_text_at_all_raises_nothing_but_a_refusal(text: str) -> None:
    assert_only_refusals(text)


@given(any_json, st.booleans())
def test_any_json_at_all_raises_nothing_but_a_refusal(value: object, is_ascii: bool) -> None:  # noqa: FBT001
    assert_only_refusals(json.dumps(value, ensure_ascii=is_ascii))


@given(
    st.sampled_from(NAMES),
    st.dictionaries(st.sampled_from(FIELDS) | any_text, any_json, max_size=3),
    st.sets(st.sampled_from(FIELDS), max_size=2),
)
def test_a_message_with_fields_changed_raises_nothing_but_a_refusal(
    name: str, changed: dict[str, Any], dropped: set[str]
) -> None:
    kept = {field: value for field, value in VALID[name].items() if field not in dropped}
    assert_only_refusals(json.dumps({**kept, **changed}))


@given(st.sampled_from(NAMES), st.integers(0, 300), st.integers(0, 8), any_text)
def test_a_message_with_a_piece_replaced_raises_nothing_but_a_refusal(
    name: str, at: int, length: int, piece: str
) -> None:
    text = json.dumps(VALID[name])
    assert_only_refusals(text[:at] + piece + text[at + length :])


@given(st.sampled_from(NAMES), st.sampled_from(FIELDS), st.integers(1, 2_000))
def test_numbers_of_any_size_raise_nothing_but_a_refusal(name: str, field: str, size: int) -> None:
    for number in ("9" * size, "-" + "9" * size, "9e" + "9" * size, "0." + "9" * size):
        assert_only_refusals(json.dumps(VALID[name])[:-1] + f',"{field}":{number}}}')


@given(st.sampled_from(NAMES), any_text)
def test_what_is_let_in_can_be_said_again(name: str, text: str) -> None:
    """Whatever text fits the fields of a message: encoded again it is the same message."""
    fields = {field: text for field, value in VALID[name].items() if isinstance(value, str)}
    said = json.dumps({**VALID[name], **fields, "action": name, "id": ID})
    try:
        message = decode(said)
    except Refusal:
        return
    assert decode(msgspec.json.encode(message).decode()) == message
