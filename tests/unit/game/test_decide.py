"""The one door: its questions in order, who may ask, and that nothing but a refusal comes out."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.game.actions import ACTIONS
from shared.game.actions.abort import Abort
from shared.game.actions.action import Asked, GameAction
from shared.game.actions.move import Move
from shared.game.actions.resign import Resign
from shared.game.clock import Clock, TimeControl
from shared.game.decide import decide
from shared.game.events import Change, Repeat
from shared.game.ids import ConnectionId, PlayerId
from shared.game.outcome import Outcome, Termination
from shared.game.refusal import Refusal
from shared.game.settle import settle
from shared.game.side import Side
from shared.game.table import Done, Offer, Policy, Seat, Status, Table
from shared.protocol.views import happening, view
from tests.support.playing import (
    BEGAN_AT,
    BLACK_PLAYER,
    DEFAULT,
    STRANGER,
    WHITE_PLAYER,
    Playing,
    action_id,
    action_of,
    digest_of,
    live_table,
)

WHITE, BLACK = Side
RUY_LOPEZ = "g1f3 b8c6 f1b5 a7a6 b5a4 g8f6"
ANSWERS = {"acceptDraw", "declineDraw", "acceptRematch", "declineRematch"}


def fields_of(tag: str, v: int = 1) -> dict[str, str | int | None]:
    if tag == "move":
        return {"uci": "e2e4"}
    return {"v": v} if tag in ANSWERS else {}


def code_of(playing: Playing, asked: Asked, action: GameAction) -> str:
    with pytest.raises(Refusal) as refused:
        decide(playing.table, action, asked)
    return refused.value.code


@pytest.mark.parametrize("tag", ACTIONS)
@pytest.mark.parametrize("stage", ["offer open", "over"])
def test_who_is_not_seated_may_do_nothing(tag: str, stage: str) -> None:
    """C040: identity is the connection's; his ids and his stamps do not matter."""
    playing = Playing.start(DEFAULT).play("e2e4 e7e5")
    if stage == "over":
        playing.act(WHITE, Resign)
    known = {"game": 1, "ply": playing.table.ply}
    for said in (action_id(1), action_id(900)):
        action = action_of(ACTIONS[tag], said, **(known | fields_of(tag)))

        assert code_of(playing, playing.asked(STRANGER, said, at=10**9), action) == "notSeated"


@pytest.mark.parametrize("extra", ["player", "playerId", "side", "by", "connection"])
@pytest.mark.parametrize("tag", ACTIONS)
def test_no_action_has_room_for_an_identity(tag: str, extra: str) -> None:
    with pytest.raises(ValueError, match="unknown field"):
        action_of(
            ACTIONS[tag], action_id(1), game=1, ply=0, **(fields_of(tag) | {extra: WHITE_PLAYER})
        )


def test_the_questions_come_in_their_order() -> None:
    """DESIGN section 2: a duplicate, live, in time, right ply, your turn, legal."""
    playing = Playing.start(DEFAULT).play("e2e4 e7e5")
    late = 60_000
    known = action_id(2)

    assert playing.act(BLACK, Move, said=known, ply=9, uci="zz", game=7) == Repeat(playing.table.v)
    assert playing.refused(WHITE, Move, at=late, ply=0, uci="zz").code == "tooLate"
    assert playing.refused(WHITE, Move, at=late - 1, ply=0, uci="zz").code == "stalePly"
    assert playing.refused(BLACK, Move, at=late, ply=0, uci="zz").code == "stalePly"
    assert playing.refused(BLACK, Move, at=late, uci="zz").code == "notYourTurn"
    assert playing.refused(WHITE, Move, at=late - 1, uci="zz").code == "illegalMove"
    playing.act(BLACK, Resign, said=action_id(700))
    assert playing.refused(WHITE, Move, at=late, ply=0, uci="zz").code == "gameOver"
    assert playing.act(BLACK, Resign, said=action_id(700)) == Repeat(playing.table.v)


def test_a_duplicate_is_known_per_player_not_per_table() -> None:
    playing = Playing.start(DEFAULT)
    playing.act(WHITE, Move, uci="e2e4", said=action_id(5))

    change = playing.act(BLACK, Move, uci="e7e5", said=action_id(5))

    assert isinstance(change, Change)


def test_a_refused_action_is_not_remembered_as_done() -> None:
    playing = Playing.start(DEFAULT)
    playing.refused(WHITE, Move, uci="e2e5", said=action_id(5))

    assert isinstance(playing.act(WHITE, Move, uci="e2e4", said=action_id(5)), Change)


def test_exactly_the_last_two_actions_of_a_player_are_known() -> None:
    playing = Playing.start(DEFAULT).play("e2e4 e7e5")
    for number, uci in enumerate(RUY_LOPEZ.split()):
        playing.act(playing.table.on_move, Move, uci=uci, said=action_id(100 + number))

    assert isinstance(playing.act(WHITE, Move, uci="b5a4", said=action_id(104)), Repeat)
    assert isinstance(playing.act(WHITE, Move, uci="f1b5", said=action_id(102)), Repeat)
    stale = playing.refused(WHITE, Move, ply=2, uci="g1f3", said=action_id(100))
    assert stale.code == "stalePly"
    assert len(playing.table.white.recent) == 2


def test_a_repeat_names_the_v_that_the_action_led_to() -> None:
    playing = Playing.start(DEFAULT)
    playing.act(WHITE, Move, uci="e2e4", said=action_id(5))
    v = playing.table.v
    playing.play("e7e5")

    assert playing.act(WHITE, Move, uci="e2e4", said=action_id(5)) == Repeat(v)
    assert playing.table.v == v + 1


def test_a_duplicate_is_answered_after_the_flag_and_after_the_end() -> None:
    playing = Playing.start(DEFAULT).play("e2e4 e7e5")
    playing.act(WHITE, Move, uci="g1f3", said=action_id(5))
    v = playing.table.v

    assert playing.act(WHITE, Move, ply=2, uci="g1f3", said=action_id(5), at=10**7) == Repeat(v)
    playing.tick(62_000)
    assert playing.is_over
    assert playing.act(WHITE, Move, ply=2, uci="g1f3", said=action_id(5), at=10**7) == Repeat(v)


@pytest.mark.parametrize("plies", ["", "e2e4"])
def test_after_the_flag_the_other_side_is_judged_as_usual(plies: str) -> None:
    playing = Playing.start(DEFAULT).play(plies)
    mover = playing.table.on_move

    assert playing.refused(mover, Abort, at=60_000).code == "tooLate"
    playing.act(mover.other, Abort, at=60_000)

    assert playing.ending == ("aborted", "*")


def test_every_event_of_an_action_makes_the_v_one_more_and_leaves_no_hole() -> None:
    playing = Playing.start(DEFAULT)
    seen = [playing.table.v]
    playing.move("e2e4")
    seen.append(playing.table.v)
    playing.move("e7e5")
    seen.append(playing.table.v)
    playing.agree(WHITE)
    seen.append(playing.table.v)

    assert seen == [2, 3, 4, 6]


# Any table and any action at all -------------------------------------------------------------

INSTANTS = st.integers(BEGAN_AT - 100_000, BEGAN_AT + 4_000_000)
SIDES = st.sampled_from(list(Side))
PLAYERS = st.sampled_from([WHITE_PLAYER, BLACK_PLAYER, STRANGER])
SOCKETS = st.lists(st.sampled_from(["c1", "c2", "c3"]), max_size=3, unique=True).map(
    lambda names: tuple(map(ConnectionId, names))
)
LINES = st.sampled_from(
    [
        "",
        "e2e4",
        "e2e4 e7e5",
        "e2e4 e7e5 g1f3 b8c6 f1b5",
        "f2f3 e7e5 g2g4",
        "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1",
        "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6",
    ]
)
CONTROLS = st.builds(
    TimeControl,
    total_ms=st.none() | st.integers(1, 1_000_000),
    per_move_ms=st.none() | st.integers(1, 100_000),
    increment_ms=st.integers(0, 10_000),
)


@st.composite
def seats(draw: st.DrawFn, player: PlayerId | None) -> Seat:
    sockets = draw(SOCKETS)
    recent = draw(st.lists(st.integers(0, 5), max_size=2))
    return Seat(
        player_id=player,
        connections=sockets,
        heard_at=draw(INSTANTS),
        probed_at=draw(st.none() | INSTANTS) if sockets else None,
        away_since=None if sockets else draw(INSTANTS),
        is_away_told=draw(st.booleans()) and not sockets,
        recent=tuple(Done(digest_of(action_id(n)), n) for n in recent),
        declined_ply=draw(st.none() | st.integers(0, 5)),
    )


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A table that play could have led to, at any stage."""
    control = draw(CONTROLS)
    table = Playing(live_table(TimeControl(None, None))).play(draw(LINES)).table
    status = draw(st.sampled_from(list(Status)))
    clock = Clock(
        draw(st.integers(1, 10**6)) if control.total_ms is not None else None,
        draw(st.integers(1, 10**6)) if control.total_ms is not None else None,
        draw(INSTANTS),
        draw(st.integers(0, 10**6)),
    )
    offer = draw(st.none() | st.builds(Offer, SIDES, st.integers(1, 12)))
    ended = st.builds(Outcome, st.none() | SIDES, st.sampled_from(list(Termination)), INSTANTS)
    return replace(
        table,
        time_control=control,
        status=status,
        clock=clock,
        since=draw(INSTANTS),
        is_public=draw(st.booleans()),
        white=draw(seats(WHITE_PLAYER)),
        black=draw(seats(None if status is Status.WAITING else BLACK_PLAYER)),
        draw_offer=offer if status is Status.LIVE else None,
        rematch_offer=offer if status is Status.OVER else None,
        outcome=draw(ended) if status is Status.OVER else None,
        v=draw(st.integers(1, 12)),
        game=draw(st.integers(1, 3)),
    )


@st.composite
def actions(draw: st.DrawFn) -> GameAction:
    kind = ACTIONS[draw(st.sampled_from(list(ACTIONS)))]
    fields: dict[str, str | int | None] = {
        "game": draw(st.integers(1, 3)),
        "ply": draw(st.integers(0, 10)),
    }
    if kind is Move:
        square = st.sampled_from([f + r for f in "abcdefgh" for r in "12345678"])
        squares = st.builds(str.__add__, square, square)
        moves = st.builds(str.__add__, squares, st.sampled_from(["", "q", "n", "k", "Q"]))
        uci = st.text(max_size=16) | moves
        fields["uci"] = draw(uci)
    elif "v" in kind.__struct_fields__:
        fields["v"] = draw(st.integers(0, 13))
    return action_of(kind, action_id(draw(st.integers(0, 9))), **fields)


@st.composite
def circumstances(draw: st.DrawFn, table: Table, action: GameAction) -> Asked:
    received_at = draw(INSTANTS)
    now = max(received_at, table.clock.turn_at) + draw(st.integers(0, 100_000))
    policy = Policy(draw(st.integers(0, 5_000)), draw(st.integers(0, 120_000)))
    return Asked(draw(PLAYERS), ConnectionId("c1"), digest_of(action.id), received_at, now, policy)


THOROUGH = settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@THOROUGH
@given(st.data())
def test_whatever_is_asked_of_whatever_table_only_a_refusal_comes_out(data: st.DataObject) -> None:
    table = data.draw(tables())
    action = data.draw(actions())
    asked = data.draw(circumstances(table, action))
    before = replace(table)
    try:
        done = decide(table, action, asked)
    except Refusal:
        assert table == before
        return
    assert table == before
    if isinstance(done, Repeat):
        assert done.v in [known.v for known in (*table.white.recent, *table.black.recent)]
        return
    _check_change(table, done, asked)


def _check_change(table: Table, change: Change, asked: Asked) -> None:
    after = change.table
    assert change.event is not None
    assert after.v == table.v + 1
    assert after.rev == table.rev
    assert {after.white.player_id, after.black.player_id} == {
        table.white.player_id,
        table.black.player_id,
    }
    assert (after.status is Status.OVER) == (after.outcome is not None)
    side = after.side_of(asked.player_id)
    assert side is not None
    assert after.seat(side).recent[-1] == Done(asked.digest, after.v)
    for viewer in (*Side, None):
        assert happening(after, change.event, viewer, asked.now, asked.policy).v == after.v


@THOROUGH
@given(tables(), st.integers(0, 5_000_000), st.integers(0, 5_000), st.integers(0, 120_000))
def test_whatever_falls_due_at_whatever_table_comes_to_an_end(
    table: Table, after_ms: int, patience_ms: int, absence_ms: int
) -> None:
    """A timer settles a table in a few steps, writes no verdict early, and leaves it viewable."""
    policy, now = Policy(patience_ms, absence_ms), BEGAN_AT + after_ms
    for _ in range(12):
        before = replace(table)
        change = settle(table, now, policy)
        assert table == before
        if change is None:
            break
        assert change.table.v == table.v + (change.event is not None)
        outcome = change.table.outcome
        if outcome is not None and outcome.termination is not Termination.CLOSED:
            assert outcome.at + patience_ms <= now
        table = change.table
    assert settle(table, now, policy) is None
    for viewer in (*Side, None):
        assert view(table, viewer, now, policy).table == table.table_id
