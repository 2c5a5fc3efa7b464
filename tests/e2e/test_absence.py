"""Two people play on the page, and the network of one is cut: both see what comes of it."""

from pathlib import Path

import pytest

from tests.e2e.browser_support import Person
from tests.support.pairing import A_MOVE_A_MINUTE, NOTE, Pairing, countdown, digits, reads
from tests.support.parlour import Parlour

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

TEN_MINUTES_MS = 600_000
ABSENCE_MS = 60_000
PATIENCE_MS = 2_000
TOLD_AFTER_MS = 3_000
FOUND_OUT_MS = 60_000
"""A silent death: 45 s until it is asked, 15 s until nobody has answered."""
LATE_MS = 4_000
"""Timers are messages: each may be a second late."""
THERE = f"{NOTE}:not(:empty)"
BROKEN_OFF = "No result Broken off before both had moved"
WHITE_WON, BLACK_WON, DRAWN = "1\N{EN DASH}0", "0\N{EN DASH}1", "½\N{EN DASH}½"
THEIRS = "Opponent\N{RIGHT SINGLE QUOTATION MARK}s"
AWAY = "Your opponent is away. If they do not return in time, the game ends."
LONE_KING = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 40"
"""Black can win no more; White could."""


def sees_countdown(pair: Pairing, watcher: Person, letter: str) -> int:
    """The instant of removal as the server has it; the watcher is shown it to the second."""
    removal_at = int(pair.state()[f"{letter}a"]) + ABSENCE_MS
    reads(watcher, NOTE, countdown(removal_at - pair.parlour.stack.now()))
    return removal_at


# -- the network is gone, and nobody is told ------------------------------------------------------


def test_whose_network_dies_is_seen_away_and_comes_back_in_time(
    parlour: Parlour, pictures: Path
) -> None:
    pair = Pairing.begins(parlour)
    pair.plays("e2e4", think_ms=5_000)
    heard_at = parlour.stack.now()
    pair.plays("e7e5", think_ms=7_000)
    moved_at = parlour.stack.now()
    parlour.cuts(pair.white, "dead")
    parlour.passes(30_000)
    reads(pair.white, "#trouble p", "You are offline. 0:30 left to come back.")
    pair.photograph(pictures, "cut")
    parlour.passes_until(heard_at + FOUND_OUT_MS + TOLD_AFTER_MS - 1)
    reads(pair.black, NOTE, "")
    parlour.passes_until_seen(pair.black, THERE, LATE_MS)
    removal_at = sees_countdown(pair, pair.black, "w")
    assert 0 <= removal_at - heard_at - FOUND_OUT_MS - ABSENCE_MS <= LATE_MS
    reads(pair.black, "#verdict", f"{THEIRS} move {AWAY}")
    parlour.passes(20_000)
    sees_countdown(pair, pair.black, "w")
    reads(pair.white, "#trouble p", "You are offline. Your game may be over by now.")
    pair.photograph(pictures, "away")
    pair.agrees()
    parlour.mends(pair.white)
    reads(pair.black, NOTE, "")
    reads(pair.black, "#toast", "Your opponent is back.")
    reads(pair.white, "#toast", "Connected again.")
    pair.photograph(pictures, "back")
    reads(pair.white, "#ours .clock", digits(TEN_MINUTES_MS - (parlour.stack.now() - moved_at)))
    reads(pair.white, "#theirs .clock", "9:58")
    pair.agrees()
    pair.plays("g1f3", "b8c6", think_ms=4_000)
    pair.agrees()


def test_whose_network_stays_dead_is_removed_and_learns_of_it_when_he_is_back(
    parlour: Parlour, pictures: Path
) -> None:
    pair = Pairing.begins(parlour, locale="nl-NL")
    pair.plays("e2e4", "e7e5", "g1f3", think_ms=5_000)
    parlour.cuts(pair.black, "dead")
    parlour.passes_until_seen(pair.white, THERE, FOUND_OUT_MS + TOLD_AFTER_MS + LATE_MS)
    removal_at = sees_countdown(pair, pair.white, "b")
    pair.photograph(pictures, "going")
    parlour.passes_until(removal_at + PATIENCE_MS - 1)
    reads(pair.white, NOTE, countdown(0))
    parlour.passes(LATE_MS)
    reads(pair.white, "#verdict", f"You won · {WHITE_WON} Black was away for too long")
    reads(pair.black, "#trouble p", "Je bent offline. Je partij kan al afgelopen zijn.")
    pair.photograph(pictures, "removed")
    parlour.mends(pair.black)
    reads(pair.black, "#verdict", f"Je hebt verloren · {WHITE_WON} Je was te lang weg")
    reads(pair.black, "#toast", "Partij afgelopen terwijl je weg was.")
    pair.photograph(pictures, "returned")
    pair.agrees()
    parlour.passes(30_000)
    pair.agrees()


def test_a_socket_that_only_seems_open_is_found_out_by_the_page(parlour: Parlour) -> None:
    pair = Pairing.begins(parlour)
    pair.plays("e2e4", "e7e5", think_ms=5_000)
    pair.white.page.context.set_offline(offline=True)
    parlour.passes(15_000)
    reads(pair.white, "#trouble p", "You are offline. 0:45 left to come back.")
    pair.white.clicks("g1f3")
    parlour.passes(5_000)
    parlour.mends(pair.white)
    pair.black.sees_moves(3)
    reads(pair.black, NOTE, "")
    pair.plays("b8c6")
    pair.agrees()


# -- the server is told ---------------------------------------------------------------------------


def test_a_broken_socket_is_replaced_before_anybody_notices(parlour: Parlour) -> None:
    pair = Pairing.begins(parlour)
    pair.plays("e2e4", "e7e5", think_ms=5_000)
    parlour.breaks(pair.white, "reset")
    parlour.passes(1_000)
    parlour.is_linked(pair.white)
    parlour.passes(4_000)
    reads(pair.black, NOTE, "")
    assert pair.white.page.is_hidden("#trouble")
    assert pair.clocks() == ("9:55", "10:00")
    pair.agrees()
    pair.plays("g1f3")


def test_who_was_cut_before_both_had_moved_leaves_no_result(
    parlour: Parlour, pictures: Path
) -> None:
    pair = Pairing.begins(parlour)
    lost_at = parlour.stack.now()
    parlour.cuts(pair.black, "reset")
    parlour.passes(TOLD_AFTER_MS - 1)
    reads(pair.white, NOTE, "")
    parlour.passes_until_seen(pair.white, THERE, LATE_MS)
    assert sees_countdown(pair, pair.white, "b") == lost_at + ABSENCE_MS
    pair.white.clicks("e2e4")
    pair.white.sees_moves(1)
    parlour.passes_until(lost_at + ABSENCE_MS + PATIENCE_MS - 1)
    reads(pair.white, NOTE, countdown(0))
    parlour.passes(LATE_MS)
    reads(
        pair.white,
        "#verdict",
        "No result Black was away for too long, before both had moved",
    )
    parlour.mends(pair.black)
    reads(pair.black, "#verdict", BROKEN_OFF)
    reads(pair.black, "#toast", "The game ended while you were away.")
    pair.photograph(pictures, "aborted")


def test_a_removal_is_a_draw_where_the_other_side_cannot_mate(
    parlour: Parlour, pictures: Path
) -> None:
    pair = Pairing.begins(parlour)
    pair.plays("e2e4", "e7e5")
    pair.stands(LONE_KING)
    parlour.cuts(pair.white, "reset")
    parlour.passes(ABSENCE_MS + PATIENCE_MS + LATE_MS)
    drawn = f"Draw · {DRAWN} A player was away for too long, but the other cannot mate"
    reads(pair.black, "#verdict", drawn)
    parlour.mends(pair.white)
    reads(pair.white, "#verdict", drawn)
    pair.photograph(pictures, "drawn")


def test_while_both_are_away_nobody_is_removed_and_the_last_instant_is_in_time(
    parlour: Parlour, pictures: Path
) -> None:
    pair = Pairing.begins(parlour)
    pair.plays("e2e4", "e7e5", "g1f3")
    parlour.cuts(pair.white, "reset")
    parlour.passes(10_000)
    sees_countdown(pair, pair.black, "w")
    parlour.cuts(pair.black, "reset")
    parlour.passes(ABSENCE_MS + 30_000)
    assert pair.state()["st"] == "l"
    parlour.mends(pair.black)
    removal_at = sees_countdown(pair, pair.black, "w")
    assert removal_at == parlour.stack.now() + ABSENCE_MS
    pair.photograph(pictures, "both")
    parlour.passes_until(removal_at + PATIENCE_MS - 1)
    reads(pair.black, NOTE, countdown(0))
    parlour.mends(pair.white)
    reads(pair.black, "#toast", "Your opponent is back.")
    parlour.passes(LATE_MS)
    pair.plays("b8c6", "f1b5")
    pair.agrees()


def test_a_flag_that_falls_while_one_is_cut_off_is_shown_to_both(
    parlour: Parlour, pictures: Path
) -> None:
    pair = Pairing.begins(parlour, time=A_MOVE_A_MINUTE)
    pair.plays("e2e4", "e7e5", think_ms=5_000)
    flag_at = parlour.stack.now() + 60_000
    parlour.passes(20_000)
    parlour.cuts(pair.white, "dead")
    parlour.passes_until(flag_at)
    reads(pair.white, "#verdict", "Your time is up")
    reads(pair.black, "#verdict", f"{THEIRS} time is up")
    pair.photograph(pictures, "flag")
    parlour.passes(PATIENCE_MS + LATE_MS)
    reads(pair.black, "#verdict", f"You won · {BLACK_WON} White ran out of time")
    parlour.mends(pair.white)
    reads(pair.white, "#verdict", f"You lost · {BLACK_WON} White ran out of time")
    pair.agrees()
