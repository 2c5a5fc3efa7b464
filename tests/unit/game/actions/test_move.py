"""A move at the table: whose turn, which ply, what it costs, and what is repeated."""

import msgspec
import pytest

from shared.game.actions.move import Move
from shared.game.events import Happened, Repeat
from shared.game.packing import unpack_thinks
from shared.game.side import Side
from tests.support.playing import (
    NO_MOVE_LIMIT,
    UNTIMED,
    Playing,
    action_id,
    action_of,
    mirrored,
    mirrored_line,
)

WHITE, BLACK = Side


def test_a_move_is_seen_with_its_player_and_its_notation() -> None:
    playing = Playing.start()
    before = playing.table

    change = playing.move("g1f3")

    assert change.event is not None
    assert (change.event.name, change.event.by) == (Happened.MOVED, WHITE)
    assert (change.event.uci, change.event.san) == ("g1f3", "Nf3")
    assert change.table.v == before.v + 1
    assert change.table.ply == 1
    assert change.table.on_move is BLACK


@pytest.mark.parametrize("plies", ["", "e2e4"])
def test_only_the_side_on_move_may_move(plies: str) -> None:
    playing = Playing.start().play(plies)
    waiting = playing.table.on_move.other

    refusal = playing.refused(waiting, Move, uci="e7e5" if waiting is BLACK else "d2d4")

    assert refusal.code == "notYourTurn"


def test_a_refused_promotion_leaves_the_clock_running() -> None:
    """C041: four refusals, and the fifth message is charged all the time since the turn began."""
    playing = Playing.start(NO_MOVE_LIMIT, "8/6pp/1K6/3P1p2/2P2P1k/8/p7/8 b - - 0 44")

    for at, uci in enumerate(("a2a1", "a2a1k", "a2a1p", "a2a1Q"), start=1):
        refusal = playing.refused(BLACK, Move, at=1_000 * at, uci=uci)
        assert refusal.code == "illegalMove"
        assert str(refusal.parameters["reason"]).startswith("promotion")
    playing.move("a2a1q", at=5_000)

    assert playing.clocks == (600_000, 595_000)
    assert playing.sans == ["a1=Q"]


@pytest.mark.parametrize("uci", [None, 7, ["e2e4"], "e" * 17, "e2e4" * 1_250])
def test_what_is_no_short_text_is_no_move(uci: object) -> None:
    """C043: refused at the door, before any table is read."""
    with pytest.raises(msgspec.ValidationError):
        action_of(Move, action_id(1), game=1, ply=0, uci=uci)  # type: ignore[arg-type]


@pytest.mark.parametrize("extra", ["clock", "move_time", "lag", "player", "side", "now"])
def test_what_a_client_says_about_time_or_identity_is_refused(extra: str) -> None:
    """C009, C040: unknown fields are not even ignored."""
    fields: dict[str, str | int | None] = {"game": 1, "ply": 0, "uci": "e2e4", extra: 900_000}

    with pytest.raises(msgspec.ValidationError):
        action_of(Move, action_id(1), **fields)


def test_a_player_is_charged_what_he_took() -> None:
    """C009: twenty seconds, by the server's stamps alone."""
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")

    playing.move("g1f3", at=20_000, written=21_500)

    assert playing.clocks == (580_000, 600_000)
    assert unpack_thinks(playing.table.thinks) == [0, 0, 20_000]
    assert playing.table.clock.served_ms == 1_500


@pytest.mark.parametrize("side", Side)
def test_castling_by_taking_the_rook_is_refused_and_the_kings_steps_are_kept(side: Side) -> None:
    """C043: one stored form; the re-send is the same move, not a second one."""
    fen, rook_takes, steps = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1h1", "e1g1"
    if side is BLACK:
        fen, rook_takes, steps = mirrored(fen), mirrored_line(rook_takes), mirrored_line(steps)
    playing = Playing.start(UNTIMED, fen)
    ply = playing.table.ply

    assert playing.refused(side, Move, uci=rook_takes).parameters == {"reason": "illegal"}
    playing.act(side, Move, uci=steps, said=action_id(99))
    again = playing.act(side, Move, uci=steps, ply=ply, said=action_id(99))

    assert again == Repeat(playing.table.v)
    assert playing.table.ply == ply + 1
    assert playing.sans == ["O-O"]


@pytest.mark.parametrize(
    ("fen", "uci"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6"),
        ("4k2r/6P1/8/8/8/8/8/4K3 w - - 0 1", "g7h8n"),
    ],
)
def test_special_moves_are_in_the_record_as_they_were_sent(fen: str, uci: str) -> None:
    playing = Playing.start(UNTIMED, fen).play(uci)

    assert [event.uci for event in playing.events] == [uci]


def test_a_premove_of_an_earlier_turn_is_never_played() -> None:
    """C044: e4d5 was meant for ply 2, b1c3 was played there; at ply 4 it is legal again."""
    playing = Playing.start(UNTIMED).play("e2e4 d7d5 b1c3")

    assert playing.refused(WHITE, Move, ply=2, uci="e4d5").code == "stalePly"
    playing.play("g8f6")
    assert "e4d5" in playing.legal
    stale = playing.refused(WHITE, Move, ply=2, uci="e4d5")

    assert stale.code == "stalePly"
    assert stale.parameters == {"game": 1, "ply": 4}
    assert stale.shows_table
    assert playing.table.ply == 4


def test_a_premove_whose_turn_has_come_is_played_at_once() -> None:
    """C045: received 5 ms after the turn changed; even received before, it costs nothing."""
    for received, charged in ((5, 5), (0, 0), (-400, 0)):
        playing = Playing.start(NO_MOVE_LIMIT).play("e2e4")
        playing.move("d7d5", at=0, written=0)
        playing.act(WHITE, Move, at=received, written=max(received, 0), ply=2, uci="e4d5")

        assert playing.table.ply == 3
        assert playing.clocks == (600_000 - charged, 600_000)


def test_a_move_for_a_later_ply_is_not_kept_for_it() -> None:
    playing = Playing.start(UNTIMED).play("e2e4")

    assert playing.refused(BLACK, Move, ply=3, uci="b8c6").code == "stalePly"
    assert playing.refused(WHITE, Move, ply=2, uci="d2d4").code == "stalePly"
    playing.play("e7e5")

    assert playing.table.ply == 2


def test_the_same_move_sent_again_is_played_and_charged_once() -> None:
    """C048: within 20 ms, and after 5 s, whatever happened in between."""
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5")
    first = action_id(77)
    playing.act(WHITE, Move, at=3_000, ply=2, uci="g1f3", said=first)
    v, clocks = playing.table.v, playing.clocks

    assert playing.act(WHITE, Move, at=3_020, ply=2, uci="g1f3", said=first) == Repeat(v)
    playing.move("b8c6", at=4_000)
    assert playing.act(WHITE, Move, at=8_000, ply=2, uci="g1f3", said=first) == Repeat(v)

    assert playing.clocks[0] == clocks[0] == 597_000
    assert playing.sans == ["e4", "e5", "Nf3", "Nc6"]


@pytest.mark.parametrize("is_same_id", [True, False], ids=["same id", "new id"])
def test_a_late_copy_that_is_legal_again_is_not_played(*, is_same_id: bool) -> None:
    """C049: two moves later the id is still known; its ply alone would give it away."""
    first = action_id(77)
    playing = Playing.start(UNTIMED)
    playing.act(WHITE, Move, ply=0, uci="g1f3", said=first)
    v = playing.table.v
    playing.play("g8f6 f3g1 f6g8")
    assert "g1f3" in playing.legal

    if is_same_id:
        assert playing.act(WHITE, Move, ply=0, uci="g1f3", said=first) == Repeat(v)
    else:
        assert playing.refused(WHITE, Move, ply=0, uci="g1f3").code == "stalePly"

    assert playing.table.ply == 4


def test_a_copy_older_than_the_last_two_is_stale() -> None:
    first = action_id(77)
    playing = Playing.start(UNTIMED)
    playing.act(WHITE, Move, ply=0, uci="g1f3", said=first)
    playing.play("g8f6 f3g1 f6g8 b1c3 b8c6")
    assert "g1f3" in playing.legal

    refusal = playing.refused(WHITE, Move, ply=0, uci="g1f3", said=first)

    assert refusal.code == "stalePly"
    assert refusal.shows_table


def test_nothing_moves_after_a_threefold() -> None:
    """C031: the game is over at ply 8, whatever is tried afterwards."""
    playing = Playing.start(UNTIMED).play("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8")

    assert playing.refused(WHITE, Move, uci="e2e4").code == "gameOver"
    assert playing.ending == ("threefold", "1/2-1/2")


def test_a_move_that_ends_the_game_presses_the_clock_for_the_last_time() -> None:
    playing = Playing.start(NO_MOVE_LIMIT).play("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6")

    playing.move("h5f7", at=9_000, written=9_100)
    after = playing.clocks

    assert playing.ending == ("checkmate", "1-0")
    assert after == (591_000, 600_000)
    assert playing.tick(3_600_000) == []
    assert playing.clocks == after
