"""Every function fed with the events that AWS sends it, keys present and absent as there."""

import json
from dataclasses import dataclass
from types import ModuleType

import pytest

from shared.gate.tokens import SignedTokens
from shared.runtime import authorize as authorizer
from shared.runtime import settings as environment
from shared.runtime import telemetry
from shared.runtime.caller import read_arrival, read_caller
from shared.service.ports import ConnectionKey
from tests.support.handlers import load
from tests.support.recorded_events import From, from_connection, recorded, saying, timer
from tests.support.seats import A1, ANNA, B1, BEN, Seats
from tests.unit.protocol.messages import valid

ANNAS, BENS = From(ANNA, A1), From(BEN, B1)
MESSAGE_FUNCTIONS = {
    "sync": "ping",
    "lobby": "createTable",
    "join": "joinTable",
    "move": "move",
    "act": "resign",
}


def on(seats: Seats, name: str) -> ModuleType:
    """The function, on that memory."""
    module = load(name)
    if hasattr(module, "world"):
        vars(module)["world"] = lambda: seats.world
    return module


def test_connect_accepts_with_the_sub_protocol_and_keeps_a_row(seats: Seats) -> None:
    answer = on(seats, "connect").handler(recorded("connect"), object())
    assert answer == {"statusCode": 200, "headers": {"Sec-WebSocket-Protocol": "tabiya.v1"}}
    key = ConnectionKey(ANNA, "BFaT_fALIAMCKug=")  # type: ignore[arg-type]
    assert key in seats.memory.alive


def test_connect_names_no_sub_protocol_to_a_client_that_offered_none(seats: Seats) -> None:
    event = recorded("connect")
    event["requestContext"]["authorizer"]["subprotocol"] = ""
    assert on(seats, "connect").handler(event, object()) == {"statusCode": 200}


def test_an_arrival_is_what_the_authorizer_said() -> None:
    arrival = read_arrival(recorded("connect"))
    assert (arrival.version, arrival.platform, arrival.language) == ("1.4.0", "web", "nl")
    assert arrival.at == 1_731_332_746_513


def test_a_caller_is_known_by_his_connection_alone() -> None:
    caller = read_caller(recorded("message"), re="Zq3vR8xT1mKd_-7a")
    assert caller.player_id == ANNA
    assert caller.connection_id == "BFaT_fALIAMCKug="
    assert caller.source == "203.0.113.7"
    assert caller.received_at == 1_731_332_757_000


def test_disconnect_takes_the_connection_off_its_seat_as_of_the_close(seats: Seats) -> None:
    at = seats.memory.now + 5_000
    seats.memory.now = at + 700
    answer = on(seats, "disconnect").handler(from_connection("disconnect", ANNAS, at), object())
    assert answer == {"statusCode": 200}
    assert seats.table.white.connections == ()
    assert seats.table.white.away_since == at


def test_a_close_of_a_connection_that_never_sat_changes_nothing(seats: Seats) -> None:
    before = seats.table
    stranger = From("stranger-strange", "S1=")
    event = from_connection("disconnect", stranger, seats.memory.now)
    assert on(seats, "disconnect").handler(event, object()) == {"statusCode": 200}
    assert seats.table == before


@pytest.mark.parametrize(("function", "action"), MESSAGE_FUNCTIONS.items())
def test_a_message_is_answered_under_its_own_id(seats: Seats, function: str, action: str) -> None:
    here = {"table": seats.table_id, "game": 1, "ply": 0}
    said = valid(action)
    said |= {name: value for name, value in here.items() if name in said}
    event = saying(ANNAS, said, seats.memory.now)
    assert on(seats, function).handler(event, object()) == {"statusCode": 200}
    assert seats.last(A1)["re"] == said["id"]


@pytest.mark.parametrize("function", MESSAGE_FUNCTIONS)
def test_a_message_without_a_body_is_malformed(seats: Seats, function: str) -> None:
    event = saying(ANNAS, "", seats.memory.now)
    del event["body"]
    on(seats, function).handler(event, object())
    assert seats.last(A1)["code"] == "malformed"


def test_a_move_is_charged_up_to_the_instant_api_gateway_received_it(seats: Seats) -> None:
    at = seats.memory.now + 4_000
    seats.memory.now = at + 1_500
    said = {"table": seats.table_id, "game": 1, "ply": 0}
    on(seats, "move").handler(saying(ANNAS, valid("move") | said, at), object())
    clock = seats.last(B1)["clock"]
    assert clock["white"] == 896_000
    assert clock["turnAt"] == at + 1_500


def test_a_timer_message_wakes_its_table(seats: Seats) -> None:
    armed = seats.table.timer_at
    assert armed is not None
    seats.memory.now = armed
    answer = on(seats, "timeout").handler(timer(seats.table_id, armed), object())
    assert answer == {"batchItemFailures": []}
    assert seats.last(A1)["event"] == "probe"


def test_a_timer_message_for_a_table_that_is_gone_is_done_with(seats: Seats) -> None:
    answer = on(seats, "timeout").handler(recorded("timer"), object())
    assert answer == {"batchItemFailures": []}


def test_one_broken_table_does_not_hold_up_the_timers_of_the_others(
    seats: Seats, monkeypatch: pytest.MonkeyPatch
) -> None:
    armed = seats.table.timer_at
    assert armed is not None
    seats.memory.now = armed
    broken = timer("pL0sWn5cYb2fHj9u", 1)["Records"][0] | {"messageId": "broken"}
    good = timer(seats.table_id, armed)["Records"][0] | {"messageId": "good"}
    get = seats.world.tables.get

    @dataclass
    class Tables:
        def get(self, table_id: str) -> object:
            if table_id == "pL0sWn5cYb2fHj9u":
                raise RuntimeError
            return get(table_id)  # type: ignore[arg-type]

        def __getattr__(self, name: str) -> object:
            return getattr(seats.memory.world().tables, name)

    object.__setattr__(seats.world, "tables", Tables())
    answer = on(seats, "timeout").handler({"Records": [broken, good]}, object())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "broken"}]}
    assert seats.last(A1)["event"] == "probe"


def test_the_sweep_settles_what_a_lost_timer_left_behind(seats: Seats) -> None:
    armed = seats.table.timer_at
    assert armed is not None
    seats.memory.now = armed + 20_000
    assert on(seats, "sweep").handler(recorded("sweep"), object()) is None
    assert seats.last(A1)["event"] == "ended"


@pytest.fixture
def tokens(monkeypatch: pytest.MonkeyPatch) -> SignedTokens:
    """The tokens that the authorizer believes; any page may connect."""
    tokens = SignedTokens(lambda: (b"key",))
    monkeypatch.setattr(authorizer, "signed_tokens", lambda: tokens)
    environment.settings.cache_clear()
    return tokens


def test_a_guest_is_admitted_with_a_new_identity(tokens: SignedTokens) -> None:
    handler = load("authorize").handler
    first, second = (handler(recorded("authorize"), object()) for _ in range(2))
    assert first["context"]["playerId"] != second["context"]["playerId"]
    assert first["context"] == {
        "playerId": first["principalId"],
        "version": "1.4.0",
        "platform": "web",
        "language": "nl",
        "subprotocol": "yes",
    }
    (statement,) = first["policyDocument"]["Statement"]
    assert statement == {
        "Action": "execute-api:Invoke",
        "Effect": "Allow",
        "Resource": "arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/live/$connect",
    }


def test_a_token_brings_its_player_back(tokens: SignedTokens) -> None:
    event = recorded("authorize")
    signed = tokens.sign(ANNA)  # type: ignore[arg-type]
    event["headers"]["Sec-WebSocket-Protocol"] = f"tabiya.v1, {signed}"
    assert load("authorize").handler(event, object())["principalId"] == ANNA


@pytest.mark.parametrize("token", ["", "nonsense", "anna-anna-anna-a." + "A" * 43])
def test_a_token_that_is_not_ours_makes_a_guest(tokens: SignedTokens, token: str) -> None:
    event = recorded("authorize")
    event["headers"]["Sec-WebSocket-Protocol"] = f"tabiya.v1, {token}"
    answer = load("authorize").handler(event, object())
    assert answer["policyDocument"]["Statement"][0]["Effect"] == "Allow"
    assert answer["principalId"] != ANNA


def test_a_client_that_says_nothing_of_itself_is_admitted(tokens: SignedTokens) -> None:
    event = recorded("authorize")
    event["queryStringParameters"] = {}
    del event["headers"]["Sec-WebSocket-Protocol"]
    context = load("authorize").handler(event, object())["context"]
    assert (context["version"], context["platform"], context["language"]) == ("", "other", "en")
    assert context["subprotocol"] == ""


def test_what_a_client_says_of_itself_is_kept_short(tokens: SignedTokens) -> None:
    event = recorded("authorize")
    event["queryStringParameters"] = {"v": "1" * 4_000, "platform": "x" * 4_000}
    answer = load("authorize").handler(event, object())
    assert len(json.dumps(answer["context"])) < 300


def test_a_page_from_elsewhere_is_turned_away(
    tokens: SignedTokens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALLOWED_ORIGINS", "https://other.example")
    environment.settings.cache_clear()
    answer = load("authorize").handler(recorded("authorize"), object())
    environment.settings.cache_clear()
    assert answer["policyDocument"]["Statement"][0]["Effect"] == "Deny"


def test_no_log_line_ever_holds_a_token(
    tokens: SignedTokens, seats: Seats, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    monkeypatch.setattr(
        telemetry.logger, "info", lambda *said, **keys: lines.append(f"{said}{keys}")
    )
    event = recorded("authorize")
    signed = tokens.sign(ANNA)  # type: ignore[arg-type]
    event["headers"]["Sec-WebSocket-Protocol"] = f"tabiya.v1, {signed}"
    load("authorize").handler(event, object())
    on(seats, "sync").handler(saying(ANNAS, valid("hello"), seats.memory.now), object())
    token = str(seats.last(A1)["token"])
    assert lines
    assert not any(signed in line or token in line for line in lines)
