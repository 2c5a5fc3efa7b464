"""claimFlag: the verdict on request, never before its time and never for the wrong side."""

import pytest

from shared.game.actions.claim_flag import ClaimFlag
from shared.game.actions.draw import OfferDraw
from shared.game.actions.resign import Resign
from shared.game.refusal import Refusal
from shared.game.side import Side
from shared.game.table import Policy
from shared.protocol.views import view
from tests.support.playing import BEGAN_AT, NO_MOVE_LIMIT, UNTIMED, Playing

WHITE, BLACK = Side


def test_a_waiting_player_who_missed_a_move_gets_the_state_not_the_win() -> None:
    """C001: Black answered at 18 s; White comes back at 70 s and believes Black has flagged."""
    playing = Playing.start().play("e2e4 e7e5")
    playing.move("g1f3", at=0)
    playing.move("b8c6", at=18_000)
    for at in (45_000, 60_000, 63_000):
        playing.tick(at, silent=frozenset({WHITE}))
    assert playing.table.white.is_away
    playing.come(WHITE, 70_000)

    stale = playing.refused(WHITE, ClaimFlag, at=70_000, ply=3)
    early = playing.refused(WHITE, ClaimFlag, at=70_000)
    seen = view(playing.table, WHITE, BEGAN_AT + 70_000, Policy())

    assert (stale.code, early.code) == ("stalePly", "tooEarly")
    assert stale.shows_table
    assert early.shows_table
    assert (seen.ply, seen.clock.runs) == (4, "white")
    assert seen.clock.flag_at == seen.now + 8_000

    playing.tick(79_999)
    assert not playing.is_over
    playing.tick(80_000)
    assert playing.ending == ("timeForfeit", "0-1")
    assert playing.ended_at == 78_000
    assert playing.tick(3_600_000) == []


@pytest.mark.parametrize("plies", ["e2e4 e7e5", "e2e4 e7e5 g1f3"])
def test_a_flag_is_judged_when_patience_is_over_and_dated_when_it_fell(plies: str) -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play(plies)
    flagged = playing.table.on_move

    early = playing.refused(flagged.other, ClaimFlag, at=601_999)
    playing.act(flagged.other, ClaimFlag, at=602_000)

    assert (early.code, early.parameters) == ("tooEarly", {"dueAt": BEGAN_AT + 602_000})
    assert playing.ending == ("timeForfeit", "0-1" if flagged is WHITE else "1-0")
    assert playing.ended_at == 600_000
    assert playing.clocks == ((0, 600_000) if flagged is WHITE else (600_000, 0))


def test_patience_counts_to_the_instant_of_writing_not_of_receipt() -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")

    playing.act(BLACK, ClaimFlag, at=601_000, written=602_000)

    assert playing.ending == ("timeForfeit", "0-1")


def test_without_patience_a_flag_is_judged_at_the_instant_it_falls() -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    playing.policy = Policy(patience_ms=0)

    assert playing.refused(BLACK, ClaimFlag, at=599_999).code == "tooEarly"
    playing.act(BLACK, ClaimFlag, at=600_000)

    assert playing.is_over


def test_the_side_on_move_may_claim_nothing_against_itself_or_the_other() -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")

    assert playing.refused(WHITE, ClaimFlag, at=300_000).code == "tooEarly"
    assert playing.refused(WHITE, ClaimFlag, at=700_000).code == "tooLate"


def test_a_game_without_clocks_has_no_flag() -> None:
    playing = Playing.start(UNTIMED).play("e2e4 e7e5")

    refusal = playing.refused(BLACK, ClaimFlag, at=10**9)

    assert (refusal.code, refusal.parameters) == ("tooEarly", {})


@pytest.mark.parametrize("plies", ["", "e2e4"])
def test_a_flag_before_both_have_moved_aborts(plies: str) -> None:
    """D10: after 60 s at most, whatever the clock says."""
    playing = Playing.start(NO_MOVE_LIMIT).play(plies)
    waiting = playing.table.on_move.other

    assert playing.refused(waiting, ClaimFlag, at=61_999).code == "tooEarly"
    playing.act(waiting, ClaimFlag, at=62_000)

    assert playing.ending == ("aborted", "*")
    assert playing.ended_at == 60_000


@pytest.mark.parametrize("order", ["timer first", "claim first", "resignation first"])
def test_flag_and_claim_and_resignation_at_once_make_one_result(order: str) -> None:
    """C105: whoever is written first; nothing is told twice."""
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    before = playing.table.v
    match order:
        case "timer first":
            playing.tick(602_000)
        case "claim first":
            playing.act(BLACK, ClaimFlag, at=602_000)
        case _:
            playing.act(BLACK, Resign, at=602_000)
    outcome = playing.table.outcome

    assert playing.refused(BLACK, ClaimFlag, at=602_001).code == "gameOver"
    assert playing.refused(BLACK, Resign, at=602_001).code == "gameOver"
    assert playing.refused(WHITE, OfferDraw, at=602_001).code == "gameOver"
    assert playing.tick(602_002) == []
    assert playing.table.outcome == outcome
    ends = sum(event.name == "ended" for event in playing.events)
    assert (ends, playing.table.v) == (1, before + 1)


def test_a_claim_from_an_earlier_position_is_stale_even_when_the_flag_has_fallen() -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5 g1f3")

    with pytest.raises(Refusal, match="stalePly"):
        playing.act(WHITE, ClaimFlag, at=602_000, ply=1)
