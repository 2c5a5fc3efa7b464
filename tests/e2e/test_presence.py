"""One player, several pages: tabs, devices, reloads, pages asleep, and tables nobody comes to."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.browser_support import Person
from tests.support.pairing import (
    DESKTOP,
    NOTE,
    PHONE,
    TEN_MINUTES,
    Pairing,
    countdown,
    make_public,
    reads,
)
from tests.support.parlour import Parlour

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

MINUTE_MS = 60_000
TOLD_AFTER_MS = 3_000
PROBED_MS = 63_000
"""A page that answers nothing: asked after 45 s, away 15 s later, told 3 s after that."""
LATE_MS = 4_000
PATIENCE_MS = {"private": 15 * MINUTE_MS, "public": MINUTE_MS}
"""How long a table waits for its maker: sharing a code on a telephone suspends the page."""
LONGEST_SOCKET_MS = 120 * MINUTE_MS
QUIET_MS = 5 * MINUTE_MS
"""A socket over which nothing is said for ten minutes is closed."""
THERE = f"{NOTE}:not(:empty)"


def sits_alone(parlour: Parlour, kind: str, device: dict[str, Any]) -> Person:
    """Somebody who has made a table, to which nobody has come."""
    person = parlour.arrives(**device)
    person.page.check(f'input[name=time][value="{TEN_MINUTES}"]', force=True)
    person.makes_table("white")
    if kind == "public":
        make_public(parlour, person)
    return person


# -- pages that come and go -----------------------------------------------------------------------


def test_a_reload_is_no_absence_and_costs_no_time(parlour: Parlour) -> None:
    pair = Pairing.begins(parlour)
    pair.plays("e2e4", "e7e5", think_ms=5_000)
    parlour.passes(10_000)
    for person in pair.people:
        person.reloads()
        parlour.is_linked(person)
    assert pair.clocks() == ("9:50", "10:00")
    pair.agrees()
    parlour.passes(TOLD_AFTER_MS + LATE_MS)
    for person in pair.people:
        reads(person, NOTE, "")
    pair.agrees()
    pair.plays("g1f3", "b8c6")


def test_a_closed_tab_is_away_and_a_new_one_is_back(parlour: Parlour) -> None:
    pair = Pairing.begins(parlour)
    pair.plays("e2e4", "e7e5", think_ms=5_000)
    closed_at = parlour.stack.now()
    context = pair.black.page.context
    keeper = context.new_page()
    parlour.closes(pair.black)
    parlour.passes(30_000)
    reads(pair.white, NOTE, countdown(closed_at + MINUTE_MS - parlour.stack.now()))
    pair.black = parlour.opens_tab(context)
    keeper.close()
    reads(pair.white, NOTE, "")
    reads(pair.white, "#toast", "Your opponent is back.")
    pair.agrees()
    pair.plays("g1f3", "b8c6")


def test_a_page_that_was_suspended_is_back_when_it_wakes(parlour: Parlour) -> None:
    pair = Pairing.begins(parlour)
    pair.plays("e2e4", "e7e5", think_ms=5_000)
    asleep_ms = PROBED_MS + LATE_MS + 20_000
    parlour.falls_asleep(pair.white, asleep_ms)
    woken_at = parlour.stack.now() + asleep_ms
    parlour.passes_until_seen(pair.black, THERE, PROBED_MS + LATE_MS)
    parlour.passes_until(woken_at)
    parlour.wakes(pair.white)
    reads(pair.black, "#toast", "Your opponent is back.")
    reads(pair.black, NOTE, "")
    pair.agrees()
    pair.plays("g1f3", "b8c6")


# -- tabs and devices -----------------------------------------------------------------------------


def test_two_tabs_and_two_devices_are_one_player(parlour: Parlour) -> None:
    pair = Pairing.begins(parlour)
    tab = parlour.opens_tab(pair.white.page.context)
    device = parlour.takes_device(pair.white)
    whites = pair.white, tab, device
    device.clicks("e2e4")
    for person in (*whites, pair.black):
        person.sees_moves(1)
    pair.plays("e7e5")
    tab.page.bring_to_front()
    tab.clicks("g1f3")
    for person in (*whites, pair.black):
        person.sees_moves(3)
    parlour.closes(tab)
    parlour.cuts(device, "reset")
    parlour.passes(10_000)
    reads(pair.black, NOTE, "")
    pair.plays("b8c6")
    parlour.mends(device)
    device.sees_moves(4)


def test_a_fifth_page_takes_the_place_of_the_first_which_says_so(
    parlour: Parlour, pictures: Path
) -> None:
    pair = Pairing.begins(parlour)
    pair.plays("e2e4", "e7e5")
    tabs = [parlour.opens_tab(pair.black.page.context) for _ in range(4)]
    elsewhere = "You play on in another window or on another device."
    reads(pair.black, "#trouble-text", elsewhere)
    reads(pair.black, "#verdict", "You play on elsewhere")
    pair.black.page.bring_to_front()
    pair.black.photographs(pictures / "replaced-black.png")
    parlour.passes(10_000)
    assert len(parlour.connections(pair.black)) == 4
    reads(pair.black, "#trouble-text", elsewhere)
    reads(pair.white, NOTE, "")
    pair.white.clicks("g1f3")
    tabs[3].sees_moves(3)
    assert pair.black.page.locator("#moves span").count() == 2
    pair.black.presses("Play here")
    parlour.is_linked(pair.black)
    pair.black.sees_moves(3)
    reads(tabs[0], "#trouble-text", elsewhere)
    pair.plays("b8c6")


def test_a_socket_ends_after_two_hours_and_nobody_notices(parlour: Parlour) -> None:
    opened_at = parlour.stack.now()
    white = sits_alone(parlour, "private", DESKTOP)
    (first,) = parlour.connections(white)
    ends_at = opened_at + LONGEST_SOCKET_MS
    while (left := ends_at - 30_000 - parlour.stack.now()) > 0:
        parlour.dozes(min(QUIET_MS, left))
    black = parlour.arrives(**PHONE)
    black.follows(white.page.input_value("#waiting-link"))
    white.sees("#board")
    pair = Pairing(parlour, white, black)
    pair.plays("e2e4", "e7e5", think_ms=5_000)
    parlour.passes_until(ends_at - 10_000)
    assert parlour.connections(white) == [first]
    parlour.passes(20_000)
    parlour.is_linked(white)
    (second,) = parlour.connections(white)
    assert second != first
    reads(black, NOTE, "")
    assert white.page.is_hidden("#trouble")
    assert white.page.is_hidden("#toast")
    pair.agrees()
    pair.plays("g1f3", "b8c6")


# -- waiting alone --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", PATIENCE_MS)
def test_a_table_waits_for_its_maker(parlour: Parlour, kind: str) -> None:
    white = sits_alone(parlour, kind, DESKTOP)
    code = white.reads("#waiting-code")
    parlour.cuts(white, "reset")
    parlour.dozes(PATIENCE_MS[kind] - 1_000)
    parlour.mends(white)
    reads(white, "#waiting-code", code)
    black = parlour.arrives(**PHONE)
    black.follows(white.page.input_value("#waiting-link"))
    Pairing(parlour, white, black).plays("e2e4")


@pytest.mark.parametrize("kind", PATIENCE_MS)
def test_a_table_whose_maker_stays_away_is_closed_and_he_is_told_once(
    parlour: Parlour, pictures: Path, kind: str
) -> None:
    white = sits_alone(parlour, kind, PHONE)
    parlour.cuts(white, "reset")
    parlour.passes(5_000)
    white.photographs(pictures / "waiting-cut.png")
    parlour.dozes(PATIENCE_MS[kind] - 5_000 + LATE_MS)
    parlour.mends(white)
    white.sees("#home")
    reads(white, "#toast", "Your table closed while you were away.")
    white.photographs(pictures / "waiting-closed.png")
    white.page.reload()
    white.sees("#home")
    parlour.is_linked(white)
    assert white.page.is_hidden("#toast")
