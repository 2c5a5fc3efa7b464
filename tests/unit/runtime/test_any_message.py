"""The wrapper on anything a client may send: an answer, never an exception, nothing half done."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.game.actions.action import GameAction
from shared.protocol.inbound import CreateTable, JoinTable, Ping, SayHello, Sync
from shared.protocol.notices import LANGUAGES, catalog
from shared.runtime import entry
from shared.runtime.entry import answering
from shared.service.act import act
from shared.service.create import create
from shared.service.hello import hello
from shared.service.join import join
from shared.service.ports import Minimum
from shared.service.sync import ping, sync
from tests.support.recorded_events import From, saying
from tests.support.seats import A1, ANNA, B1, BEN, Seats
from tests.unit.protocol.messages import NAMES, any_json, any_text, valid

handler = answering(
    {GameAction: act, CreateTable: create, JoinTable: join, SayHello: hello, Sync: sync, Ping: ping}
)
STRANGER = From("stranger-strange", "S1=")
SEATED = [From(ANNA, A1), From(BEN, B1)]
callers = st.sampled_from([*SEATED, STRANGER])
FIELDS = ["action", "id", "table", "game", "ply", "uci", "v", "code", "timeControl", "colour"]
ANSWERS = frozenset({"hello", "pong", "unchanged", "view", "created", "seated", "moved"}) | {
    "drawOffered",
    "drawDeclined",
    "rematchOffered",
    "rematchDeclined",
    "rematched",
    "ended",
}


def known(seats: Seats, action: str) -> dict[str, Any]:
    """A message of that action which fits the game that is played."""
    said = valid(action)
    here = {"table": seats.table_id, "game": seats.table.game, "ply": seats.table.ply}
    said |= {name: value for name, value in here.items() if name in said}
    return said | ({"code": seats.code} if action == "joinTable" else {})


def lasting(seats: Seats) -> tuple[object, ...]:
    """Everything stored but the counters of wrong guesses."""
    memory = seats.memory
    kept = (memory.tables, memory.metas, memory.codes, memory.players, memory.records, memory.sent)
    return copy.deepcopy(kept)


def assert_answered(seats: Seats, origin: From, body: str) -> None:
    """One answer to the asker; after a refusal all is as it was, and he is told why."""
    before, posted = lasting(seats), len(seats.memory.posted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry, "world", lambda: seats.world)
        assert handler(saying(origin, body, seats.memory.now), object()) == {"statusCode": 200}
    told = [said for to, said in seats.memory.posted[posted:] if to == origin.connection]
    assert told
    answer = told[-1]
    if answer["event"] == "refused":
        assert_refused(answer)
        assert lasting(seats) == before
    else:
        assert answer["event"] in ANSWERS


def assert_refused(answer: dict[str, object]) -> None:
    """A code that has words, and words without a hole."""
    assert any(str(answer["code"]) == key.split(".")[0] for key in catalog("en"))
    assert answer["notice"]
    assert "{" not in str(answer["notice"]).replace(str(answer.get("parameters")), "")


def played(*ucis: str) -> Seats:
    """A table at which Anna and Ben have played."""
    seats = Seats()
    seats.memory.connect(STRANGER.player, STRANGER.connection)
    seats.play(*ucis)
    return seats


def after(how: str) -> Seats:
    """A table in one of the stages that messages meet."""
    match how:
        case "begun":
            return played()
        case "offered":
            seats = played("e2e4", "e7e5")
            seats.act(ANNA, "offerDraw")
            return seats
        case "over":
            return played("f2f3", "e7e5", "g2g4", "d8h4")
    raise ValueError(how)


cuts = st.tuples(st.integers(0, 300), st.integers(0, 8))
stages = st.sampled_from(["begun", "offered", "over"])


@given(callers, any_text)
def test_any_text_is_answered(origin: From, text: str) -> None:
    assert_answered(played(), origin, text)


@given(callers, any_json)
def test_any_json_is_answered(origin: From, value: object) -> None:
    assert_answered(played(), origin, json.dumps(value))


@given(callers, stages, st.sampled_from(NAMES))
def test_every_action_at_every_stage_is_answered(origin: From, stage: str, action: str) -> None:
    seats = after(stage)
    assert_answered(seats, origin, json.dumps(known(seats, action)))


@given(callers, stages, st.sampled_from(NAMES), st.sampled_from(FIELDS), any_json)
def test_a_message_with_a_field_changed_is_answered(
    origin: From, stage: str, action: str, field: str, value: object
) -> None:
    seats = after(stage)
    assert_answered(seats, origin, json.dumps(known(seats, action) | {field: value}))


@given(callers, stages, st.sampled_from(NAMES), cuts, any_text)
def test_a_message_with_a_piece_replaced_is_answered(
    origin: From, stage: str, action: str, cut: tuple[int, int], piece: str
) -> None:
    seats, (at, length) = after(stage), cut
    text = json.dumps(known(seats, action))
    assert_answered(seats, origin, text[:at] + piece + text[at + length :])


@given(callers, st.sampled_from(NAMES), st.sampled_from(["game", "ply", "v"]), st.integers())
def test_a_message_with_any_number_is_answered(
    origin: From, action: str, field: str, number: int
) -> None:
    seats = after("offered")
    assert_answered(seats, origin, json.dumps(known(seats, action) | {field: number}))


@given(st.sampled_from(SEATED), st.text(max_size=16))
def test_any_move_text_is_answered(origin: From, uci: str) -> None:
    seats = played()
    assert_answered(seats, origin, json.dumps(known(seats, "move") | {"uci": uci}))


@pytest.mark.parametrize("kind", [RuntimeError, KeyError, TimeoutError])
def test_what_is_no_refusal_is_a_bug_and_reaches_lambda(
    seats: Seats, kind: type[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(*_: object) -> None:
        raise kind("broken")

    with pytest.raises(kind):
        answering({Ping: break_down})(saying(SEATED[0], valid("ping"), seats.memory.now), object())
    assert seats.memory.heard_by(A1)[-1]["event"] == "seated"


def test_a_function_refuses_what_is_not_its_own(seats: Seats) -> None:
    only_ping = answering({Ping: ping})
    only_ping(saying(SEATED[0], valid("hello"), seats.memory.now), object())
    assert seats.last(A1)["code"] == "unknownAction"
    assert seats.last(A1)["re"] == valid("hello")["id"]


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_refusal_speaks_the_language_of_the_connection(seats: Seats, language: str) -> None:
    event = saying(SEATED[0], "no json", seats.memory.now)
    event["requestContext"]["authorizer"]["language"] = language
    handler(event, object())
    assert seats.last(A1)["notice"] == catalog(language)["malformed"]


def test_an_outdated_app_is_told_and_let_go(seats: Seats) -> None:
    seats.memory.minimums["web"] = Minimum("9")
    event = saying(STRANGER, valid("hello"), seats.memory.now)
    handler(event, object())
    assert seats.last("S1=")["code"] == "appOutdated"
    assert seats.memory.closed == ["S1="]


def test_an_outdated_app_in_a_live_game_stays_connected(seats: Seats) -> None:
    seats.memory.minimums["web"] = Minimum("9")
    handler(saying(SEATED[0], valid("createTable"), seats.memory.now), object())
    assert seats.last(A1)["code"] == "appOutdated"
    assert seats.memory.closed == []
