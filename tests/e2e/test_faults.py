"""What goes wrong between people and machines, through the whole stack by real sockets."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest
from aiohttp import ClientSession

from infra.local.stack import Stack
from tests.support.client import App, Client, Message, connected, many_sockets, new_id
from tests.support.stored import Stored
from tests.support.system import start

pytestmark = pytest.mark.e2e

SETTINGS_FRESH_MS = 60_000
FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with start(tmp_path_factory.mktemp("state")) as stack:
        yield stack


@dataclass
class House:
    """The running system, and whoever comes."""

    stack: Stack
    session: ClientSession
    sockets: AsyncExitStack

    async def enter(self, token: str | None = None, app: App | None = None) -> Client:
        """Somebody connected, who has said hello."""
        client = await self.open(token, app)
        await client.hello()
        return client

    async def open(self, token: str | None = None, app: App | None = None) -> Client:
        """Somebody connected, silent."""
        opened = connected(self.session, self.stack.websocket_url, token, app)
        return await self.sockets.enter_async_context(opened)

    async def table(self, **wishes: object) -> tuple[Client, Client, str]:
        """White, Black, and the code by which Black came: the game is live."""
        white, black = await self.enter(), await self.enter()
        made = await white.ask("createTable", **({"colour": "white"} | wishes))
        code = str(made["view"]["code"])
        await black.ask("joinTable", code=code)
        await white.event_at(2)
        return white, black, code

    async def pass_(self, ms: int) -> None:
        """Time passes, and all that comes of it is done."""
        await self.stack.advance_async(ms)


@pytest.fixture
async def house(stack: Stack) -> AsyncIterator[House]:
    async with many_sockets() as session, AsyncExitStack() as sockets:
        yield House(stack, session, sockets)


async def play(white: Client, black: Client, *ucis: str) -> Message:
    """Moves in turn; the last one's acknowledgement."""
    answer: Message = {}
    for uci in ucis:
        mover, other = (white, black) if white.ply % 2 == 0 else (black, white)
        answer = await mover.act("move", uci=uci)
        assert answer["event"] == "moved", answer
        await other.event_at(answer["v"])
    return answer


async def test_whoever_reconnects_with_his_token_gets_his_game_back(house: House) -> None:
    white, black, _ = await house.table()
    await play(white, black, "e2e4", "e7e5")
    await white.socket.close()
    again = await house.open(white.token)
    answer = await again.hello()
    assert answer["player"] == white.heard[0]["player"]
    assert answer["view"]["moves"] == ["e2e4", "e7e5"]
    assert answer["view"]["you"] == "white"
    assert answer["view"]["status"] == "live"
    await play(again, black, "g1f3")


async def test_a_moves_resend_on_a_new_socket_is_done_once(house: House) -> None:
    white, black, _ = await house.table()
    said = new_id()
    await white.act("move", uci="e2e4", id=said)
    again = await house.enter(white.token)
    answer = await again.act("move", uci="e2e4", ply=0, id=said)
    assert answer["event"] == "view"
    assert answer["view"]["moves"] == ["e2e4"]
    await black.wait_for(lambda message: message.get("v") == 3)


async def test_a_code_is_forgiven_lower_case_and_a_space(house: House) -> None:
    white, black = await house.enter(), await house.enter()
    made = await white.ask("createTable", colour="black")
    code = made["view"]["code"]
    answer = await black.ask("joinTable", code=f" {code[:3].lower()} {code[3:].lower()}")
    assert answer["event"] == "seated"
    assert answer["view"]["you"] == "white"


async def test_a_code_that_nobody_was_given_finds_no_table(house: House) -> None:
    stranger = await house.enter()
    answer = await stranger.ask("joinTable", code="AAAAAA")
    assert (answer["event"], answer["code"]) == ("refused", "tableNotFound")


async def test_the_third_at_a_table_finds_it_full_and_its_own_find_their_game(
    house: House,
) -> None:
    white, black, code = await house.table()
    third = await house.enter()
    assert (await third.ask("joinTable", code=code))["code"] == "tableFull"
    assert (await white.ask("joinTable", code=code))["view"]["you"] == "white"
    assert (await black.ask("joinTable", code=code))["view"]["you"] == "black"


BAD = {
    "no JSON": ("{", "malformed", None),
    "a list": ("[1, 2]", "malformed", None),
    "no text": ("", "malformed", None),
    "half a surrogate pair": ('{"action": "ping", "id": "\\ud800"}', "malformed", None),
    "an unknown action": (json.dumps({"action": "castle", "id": "a" * 16}), "unknownAction", None),
    "a route of API Gateway": (
        json.dumps({"action": "$connect", "id": "a" * 16}),
        "unknownAction",
        None,
    ),
    "an unknown field": (
        json.dumps({"action": "ping", "id": "a" * 16, "player": "somebody"}),
        "unknownField",
        "player",
    ),
    "a missing field": (json.dumps({"action": "joinTable", "id": "a" * 16}), "malformed", "code"),
    "a text that is too long": (
        json.dumps({"action": "joinTable", "id": "a" * 16, "code": "A" * 257}),
        "tooLong",
        "code",
    ),
    "a message that is too long": (
        json.dumps({"action": "ping", "id": "a" * 16, "x": "x" * 5_000}),
        "tooLong",
        None,
    ),
}


@pytest.mark.parametrize("name", BAD)
async def test_what_makes_no_sense_is_refused_and_the_connection_stays_open(
    house: House, name: str
) -> None:
    text, code, field = BAD[name]
    client = await house.enter()
    before = len(client.heard)
    await client.shout(text)
    answer = await client.wait_for(lambda _: True, since=before)
    assert (answer["event"], answer["code"]) == ("refused", code)
    assert answer["notice"]
    assert answer["parameters"].get("field") == field if field else True
    assert (await client.ask("ping"))["event"] == "pong"


async def test_refusals_in_a_game_change_nothing(house: House) -> None:
    white, black, _ = await house.table()
    stranger = await house.enter()
    refusals: list[tuple[Client, Message, str]] = [
        (white, {"uci": "e2e5"}, "illegalMove"),
        (white, {"uci": "e7e5"}, "illegalMove"),
        (black, {"uci": "e7e5"}, "notYourTurn"),
        (white, {"uci": "e2e4", "ply": 1}, "stalePly"),
        (white, {"uci": "e2e4", "game": 2}, "stalePly"),
        (white, {"uci": "e2e4", "table": "A" * 16}, "tableNotFound"),
    ]
    for client, fields, code in refusals:
        answer = await client.act("move", **fields)
        assert (answer["event"], answer["code"]) == ("refused", code)
    answer = await stranger.ask("move", table=white.table, game=1, ply=0, uci="e2e4")
    assert answer["code"] == "notSeated"
    unchanged = await white.ask("sync", table=white.table, v=2)
    assert unchanged["event"] == "unchanged"
    await play(white, black, *FOOLS_MATE)
    assert (await white.act("move", uci="e2e4"))["code"] == "gameOver"


async def test_refusals_speak_the_language_of_the_connection(house: House) -> None:
    told = {}
    for language in ("en", "nl", "et", "nl-BE", "fr"):
        client = await house.enter(app=App(language=language))
        told[language] = (await client.ask("joinTable", code="AAAAAB"))["notice"]
    assert len({told["en"], told["nl"], told["et"]}) == 3
    assert told["nl-BE"] == told["nl"]
    assert told["fr"] == told["en"]
    await house.pass_(60_000)  # so that the next wrong codes are counted anew


async def test_an_app_that_is_too_old_is_told_so_and_closed(house: House) -> None:
    stored = Stored(house.stack)
    minimums = {"ios": {"version": "2.0.0", "store": "https://apps.example/tabiya"}}
    stored.put_setting("minimum_versions", json.dumps(minimums))
    await house.pass_(SETTINGS_FRESH_MS)
    old = await house.open(app=App(version="1.9.9", platform="ios"))
    answer = await old.hello()
    assert answer["code"] == "appOutdated"
    assert answer["parameters"] == {"minimum": "2.0.0", "store": "https://apps.example/tabiya"}
    assert await old.ended() == 1000
    for app in (App("2.0", "ios"), App("2.10.1", "ios"), App("1.0", "web")):
        assert "token" in await (await house.open(app=app)).hello()
    stored.put_setting("minimum_versions", "{}")
    await house.pass_(SETTINGS_FRESH_MS)


async def test_two_tabs_of_one_player_see_the_same_game(house: House) -> None:
    white, black, _ = await house.table()
    tab = await house.enter(white.token)
    assert tab.v == white.v
    await play(tab, black, "e2e4", "e7e5")
    await white.event_at(tab.v)
    assert [news["uci"] for news in white.news if "uci" in news] == ["e2e4", "e7e5"]
    await white.socket.close()
    await house.pass_(5_000)
    assert all(news["event"] != "away" for news in black.news)
    await play(tab, black, "g1f3")


async def test_a_fifth_device_replaces_the_first(house: House) -> None:
    white, black, _ = await house.table()
    devices = [await house.enter(white.token) for _ in range(4)]
    await white.wait_for(lambda message: message["event"] == "replaced")
    assert await white.ended() == 1000
    await play(devices[3], black, "e2e4")
    await devices[0].event_at(3)


async def test_whoever_closes_is_away_after_three_seconds_and_back_when_he_is(
    house: House,
) -> None:
    white, black, _ = await house.table()
    await play(white, black, "e2e4", "e7e5")
    lost_at = house.stack.now()
    await white.socket.close()
    await house.pass_(4_000)
    away = await black.wait_for(lambda message: message["event"] == "away")
    assert away["by"] == "white"
    assert away["view"]["seats"]["white"]["removalAt"] == lost_at + 60_000
    again = await house.enter(white.token)
    back = await black.wait_for(lambda message: message["event"] == "back")
    assert (back["by"], back["v"]) == ("white", away["v"] + 1)
    await house.pass_(50_000)
    await play(again, black, "g1f3")


@pytest.mark.parametrize("how", ["dead", "gone", "reset"])
async def test_whoever_falls_silent_is_missed_and_at_last_removed(house: House, how: str) -> None:
    control = {"totalMs": 900_000, "perMoveMs": None, "incrementMs": 0}
    white, black, _ = await house.table(timeControl=control)
    await play(white, black, "e2e4", "e7e5", "g1f3", "b8c6")
    await house.stack.cut_async(white.connection_id, how)
    for _ in range(70):
        await house.pass_(1_000)
        if any(news["event"] == "away" for news in black.news):
            break
    away = await black.wait_for(lambda message: message["event"] == "away")
    removal_at = away["view"]["seats"]["white"]["removalAt"]
    await house.pass_(removal_at + 1_999 - house.stack.now())
    assert all(news["event"] != "ended" for news in black.news)
    await house.pass_(2_001)
    ended = await black.wait_for(lambda message: message["event"] == "ended")
    outcome = ended["view"]["outcome"]
    assert (outcome["termination"], outcome["result"]) == ("abandonment", "0-1")
    assert outcome["at"] == removal_at


async def test_a_client_that_hangs_is_found_out_by_a_probe(house: House) -> None:
    control = {"totalMs": 900_000, "perMoveMs": None, "incrementMs": 0}
    white, black, _ = await house.table(timeControl=control)
    await play(white, black, "e2e4", "e7e5")
    began_at = house.stack.now()
    white.is_mute = True
    await house.pass_(48_000)
    await white.wait_for(lambda message: message["event"] == "probe")
    await black.wait_for(lambda message: message["event"] == "probe")
    await house.pass_(22_000)
    away = await black.wait_for(lambda message: message["event"] == "away")
    removal_at = away["view"]["seats"]["white"]["removalAt"]
    assert began_at + 120_000 <= removal_at <= began_at + 124_000
    assert all(news["by"] == "white" for news in black.news if news["event"] == "away")


async def test_a_rematch_is_the_same_table_with_colours_changed(house: House) -> None:
    white, black, _ = await house.table()
    await play(white, black, *FOOLS_MATE)
    offer = await white.act("offerRematch")
    await black.event_at(offer["v"])
    begun = await black.act("acceptRematch", v=offer["v"])
    assert begun["event"] == "rematched"
    assert begun["view"]["game"] == 2
    assert begun["view"]["you"] == "white"
    assert begun["view"]["status"] == "live"
    await white.event_at(begun["v"])
    await play(black, white, *FOOLS_MATE)
    stored = Stored(house.stack)
    assert [stored.record(white.table, game)["result"] for game in (1, 2)] == ["0-1", "0-1"]
    player = str(white.heard[0]["player"])
    totals = stored.player(player)
    assert (totals["games"], totals["standard_won"], totals["standard_lost"]) == (2, 1, 1)


async def test_when_both_leave_the_clock_decides_and_both_find_the_result(house: House) -> None:
    control = {"totalMs": 120_000, "perMoveMs": None, "incrementMs": 0}
    white, black, _ = await house.table(timeControl=control)
    await play(white, black, "e2e4", "e7e5")
    flag_at = house.stack.now() + 120_000
    await white.socket.close()
    await black.socket.close()
    await house.pass_(119_000)
    state = Stored(house.stack).state(white.table)
    assert state["st"] == "l"
    await house.pass_(10_000)
    for token in (white.token, black.token):
        answer = await (await house.open(token)).hello()
        outcome = answer["view"]["outcome"]
        assert (outcome["termination"], outcome["result"]) == ("timeForfeit", "0-1")
        assert outcome["at"] == flag_at


async def test_leaving_a_live_game_resigns_it_and_frees_both_for_another(house: House) -> None:
    white, black, _ = await house.table()
    await play(white, black, "e2e4", "e7e5")
    left = await white.act("leaveTable")
    assert left["view"]["outcome"]["termination"] == "resignation"
    await black.event_at(left["v"])
    assert (await black.ask("createTable"))["event"] == "created"
    assert (await white.ask("createTable"))["event"] == "created"


async def test_who_waits_alone_may_leave_and_his_code_leads_nowhere(house: House) -> None:
    white, other = await house.enter(), await house.enter()
    made = await white.ask("createTable")
    assert (await white.act("leaveTable"))["view"]["status"] == "over"
    answer = await other.ask("joinTable", code=made["view"]["code"])
    assert answer["event"] == "refused"
    assert answer["code"] in {"tableClosed", "tableNotFound"}


async def test_one_sits_at_one_table(house: House) -> None:
    white, _, _ = await house.table()
    other = await house.enter()
    made = await other.ask("createTable")
    answer = await white.ask("joinTable", code=made["view"]["code"])
    assert answer["code"] == "seatHeld"
    assert answer["parameters"]["table"] == white.table
