"""A deploy in the middle of everything: what earlier versions stored is read, shown, played on."""

from collections.abc import Iterator
from typing import Any

import pytest

from shared.game.ids import TableId
from shared.store.state_item import SCHEMA, decode, encode
from tests.integration.deploys.fixtures import Fixture, path_of, read
from tests.integration.deploys.rows import as_stored, load
from tests.integration.deploys.scenes import Table, player_of, shown
from tests.support.in_process import Pair, Rig, running
from tests.support.ministack import make_tables, ministack
from tests.support.recorded_events import From

__all__ = ["ministack"]
SCHEMAS = range(1, SCHEMA + 1)


@pytest.fixture(params=SCHEMAS, ids="schema-{}".format)
def fixture(request: pytest.FixtureRequest) -> Fixture:
    return read(request.param)


@pytest.fixture
def rig(ministack: str, fixture: Fixture) -> Iterator[Rig]:
    """This version's functions, on what that version stored."""
    names = make_tables(ministack)
    load(fixture.rows, names)
    with running(names) as rig:
        rig.now = fixture.now
        rig.people = 1_000
        yield rig


def test_every_schema_that_was_ever_deployed_has_its_fixture() -> None:
    assert [schema for schema in SCHEMAS if not path_of(schema).exists()] == []


def test_the_format_does_not_change_without_a_new_schema_number() -> None:
    for item in read(SCHEMA).rows["tables"]:
        if item["part"]["S"] == "STATE":
            stored = as_stored(item)
            table_id = TableId(stored.pop("table_id")["S"])
            del stored["part"]
            assert encode(decode(table_id, stored)) == stored


def test_everybody_is_shown_what_he_was_shown_before(rig: Rig, fixture: Fixture) -> None:
    assert shown(rig, fixture.tables) == fixture.views


def test_a_token_is_still_the_same_player(rig: Rig, fixture: Fixture) -> None:
    assert player_of(rig, fixture.token) == fixture.player


def test_a_live_game_goes_on_and_its_offer_stands(rig: Rig, fixture: Fixture) -> None:
    pair = _pair(rig, fixture.tables["live"])
    offer = fixture.views["live/white"]["drawOffer"]
    told = pair.act(pair.black, "acceptDraw", v=offer["v"])
    assert told["event"] == "ended"
    assert _view(pair)["status"] == "over"


def test_who_was_away_comes_back_and_plays_on(rig: Rig, fixture: Fixture) -> None:
    table = fixture.tables["away"]
    pair = _pair(rig, table)
    assert _view(pair)["seats"]["black"].keys() == {"taken"}
    assert pair.act(pair.black, "move", uci="a7a6")["event"] == "moved"


def test_who_was_asked_answers_and_plays_on(rig: Rig, fixture: Fixture) -> None:
    pair = _pair(rig, fixture.tables["probed"])
    rig.seated += [pair.white, pair.black]
    rig.pass_(10_000)
    assert pair.act(pair.black, "move", uci="a7a6")["event"] == "moved"


def test_a_rematch_that_was_offered_is_accepted(rig: Rig, fixture: Fixture) -> None:
    pair = _pair(rig, fixture.tables["over"])
    offer = fixture.views["over/black"]["rematchOffer"]
    pair.act(pair.black, "acceptRematch", v=offer["v"])
    assert (_view(pair)["game"], _view(pair)["status"]) == (2, "live")


def test_play_begins_where_the_maker_had_left(rig: Rig, fixture: Fixture) -> None:
    pair = _pair(rig, fixture.tables["seated"])
    assert _view(pair)["status"] == "live"


def test_a_table_that_waited_is_joined(rig: Rig, fixture: Fixture) -> None:
    guest = rig.arrive()
    joined = rig.say(guest, "joinTable", code=fixture.tables["waiting"].code)
    assert joined["view"]["status"] == "live"


def test_a_timer_that_an_earlier_version_armed_is_made_good(rig: Rig, fixture: Fixture) -> None:
    for _minute in range(30):
        rig.pass_(60_000)
        rig.call("sweep", {})
    for name in ("live", "away", "probed", "seated", "waiting"):
        maker = From(fixture.tables[name].white, "nobody=")
        answer = rig.say(maker, "sync", table=fixture.tables[name].id, v=0)
        assert answer["view"]["status"] == "over", name


def _pair(rig: Rig, table: Table) -> Pair:
    """Both come with new connections."""
    assert table.black is not None
    white, black = rig.arrive(table.white), rig.arrive(table.black)
    for origin in (white, black):
        rig.say(origin, "hello")
    return Pair(rig, white, black, table.id, table.code)


def _view(pair: Pair) -> dict[str, Any]:
    view: dict[str, Any] = pair.rig.say(pair.white, "sync", table=pair.table, v=0)["view"]
    return view
