"""Who is there: away and back, removal, the question "still there?", and who may take a seat."""

import pytest

from shared.game.actions.draw import DeclineDraw, OfferDraw
from shared.game.clock import TimeControl
from shared.game.due import Matter, dues, next_wake, removal_at
from shared.game.events import Happened
from shared.game.ids import ConnectionId
from shared.game.presence import attach, detach
from shared.game.rulesets import RULESETS
from shared.game.seating import Sitter, Wishes, make_table, sit_down
from shared.game.settle import settle
from shared.game.side import Side
from shared.game.table import Policy, Status, Table
from shared.protocol.views import view
from tests.support.playing import (
    BEGAN_AT,
    BLACK_PLAYER,
    TABLE_ID,
    UNTIMED,
    WHITE_PLAYER,
    Playing,
    digest_of,
)

WHITE, BLACK = Side
LONG = TimeControl(total_ms=7_200_000, per_move_ms=None)
MINUTE = 60_000
BOTH = frozenset(Side)


def in_play(control: TimeControl = LONG) -> Playing:
    """Both have moved; White is to play."""
    return Playing.start(control).play("e2e4 e7e5")


def names(playing: Playing, at: int, silent: frozenset[Side] = frozenset()) -> list[str]:
    return [event.name.value for event in playing.tick(at, silent=silent)]


def removal(playing: Playing, side: Side) -> int | None:
    at = removal_at(playing.table, side, playing.policy)
    return None if at is None else at - BEGAN_AT


class TestAway:
    @pytest.mark.parametrize("side", Side)
    def test_it_is_told_after_three_seconds(self, side: Side) -> None:
        playing = in_play()
        playing.leave(side, 10_000)

        assert names(playing, 12_999) == []
        [told] = playing.tick(13_000)

        assert (told.name, told.by) == (Happened.AWAY, side)
        assert names(playing, 30_000) == []

    @pytest.mark.parametrize("side", Side)
    def test_removal_comes_a_minute_after_the_loss_not_after_the_news(self, side: Side) -> None:
        """D5: on whoever's turn."""
        playing = in_play()
        playing.leave(side, 10_000)

        assert removal(playing, side) == 70_000
        playing.tick(71_999)
        assert not playing.is_over
        assert names(playing, 72_000) == ["ended"]

        assert playing.ending == ("abandonment", "0-1" if side is WHITE else "1-0")
        assert playing.ended_at == 70_000

    def test_a_short_break_is_never_mentioned(self) -> None:
        playing = in_play()
        v = playing.table.v
        playing.leave(WHITE, 10_000)

        change = playing.come(WHITE, 12_900)

        assert change.event is None
        assert playing.table.v == v
        assert names(playing, 40_000) == []
        assert removal(playing, WHITE) is None

    def test_who_was_told_away_is_told_back(self) -> None:
        playing = in_play()
        playing.leave(WHITE, 10_000)
        playing.tick(13_000)

        change = playing.come(WHITE, 40_000)

        assert change.event is not None
        assert (change.event.name, change.event.by) == (Happened.BACK, WHITE)
        assert names(playing, 80_000) == []

    def test_a_second_absence_counts_from_its_own_beginning(self) -> None:
        playing = in_play()
        playing.leave(WHITE, 0)
        playing.tick(3_000)
        playing.come(WHITE, 50_000)
        playing.leave(WHITE, 55_000)

        assert removal(playing, WHITE) == 115_000
        assert names(playing, 58_000) == ["away"]

    def test_a_grace_that_the_operator_sets_is_the_one_that_counts(self) -> None:
        """C058a: two minutes; away 70 s, back, and the table is told both."""
        playing = in_play()
        playing.policy = Policy(absence_ms=120_000)
        playing.leave(BLACK, 0)

        assert names(playing, 70_000) == ["away"]
        playing.come(BLACK, 70_000)

        assert playing.events[-1].name is Happened.BACK
        assert names(playing, 130_000) == []

    @pytest.mark.parametrize(
        ("back", "stays"), [(39_900, True), (40_100, True), (41_999, True), (42_000, False)]
    )
    def test_who_returns_before_the_verdict_is_written_plays_on(
        self, back: int, *, stays: bool
    ) -> None:
        """C013: limit 40 s, written at 42 s; never removed and playing at once."""
        playing = in_play()
        playing.policy = Policy(absence_ms=40_000)
        playing.leave(BLACK, 0)
        if not stays:
            playing.tick(back)
        change = playing.come(BLACK, back)
        later = names(playing, 43_000)

        assert later == []
        assert playing.is_over is not stays
        assert playing.ending == (None if stays else ("abandonment", "1-0"))
        if not stays:
            assert change.event is None

    def test_what_is_seen_says_who_is_away_and_until_when(self) -> None:
        playing = in_play()
        playing.leave(BLACK, 10_000)
        before = view(playing.table, WHITE, BEGAN_AT + 11_000, playing.policy)
        playing.tick(13_000)
        after = view(playing.table, WHITE, BEGAN_AT + 13_000, playing.policy)

        assert not before.seats.black.away
        assert before.seats.black.removal_at is None
        assert after.seats.black.away
        assert after.seats.black.removal_at == BEGAN_AT + 70_000
        assert not after.seats.white.away


class TestBothAway:
    def test_nobody_is_removed_and_the_clock_decides(self) -> None:
        playing = in_play(TimeControl(total_ms=10 * MINUTE, per_move_ms=None))
        playing.leave(WHITE, 0)
        playing.leave(BLACK, 10_000)

        assert removal(playing, WHITE) is None
        assert removal(playing, BLACK) is None
        playing.tick(10 * MINUTE + 1_999)
        assert not playing.is_over
        playing.tick(10 * MINUTE + 2_000)

        assert playing.ending == ("timeForfeit", "0-1")

    @pytest.mark.parametrize("first", Side)
    def test_the_others_minute_starts_when_one_returns(self, first: Side) -> None:
        playing = in_play()
        playing.leave(WHITE, 0)
        playing.leave(BLACK, 10_000)
        playing.tick(200_000)

        playing.come(first, 200_000)

        assert removal(playing, first) is None
        assert removal(playing, first.other) == 260_000
        playing.tick(261_999)
        assert not playing.is_over
        playing.tick(262_000)
        assert playing.ending == ("abandonment", "1-0" if first is WHITE else "0-1")
        assert playing.ended_at == 260_000

    def test_both_returning_play_on(self) -> None:
        playing = in_play()
        playing.leave(WHITE, 0)
        playing.leave(BLACK, 10_000)
        playing.come(BLACK, 100_000)
        playing.come(WHITE, 150_000)

        assert [removal(playing, side) for side in Side] == [None, None]
        assert names(playing, 190_000) == []

    def test_the_second_who_leaves_stops_the_countdown_of_the_first(self) -> None:
        playing = in_play()
        playing.leave(WHITE, 0)
        playing.leave(BLACK, 59_000)

        assert "ended" not in names(playing, 65_000)
        assert not playing.is_over

    def test_a_game_without_clocks_is_aborted_half_an_hour_after_its_last_ply(self) -> None:
        playing = in_play(UNTIMED)
        playing.leave(WHITE, 0)
        playing.leave(BLACK, 0)

        playing.tick(30 * MINUTE + 1_999)
        assert not playing.is_over
        playing.tick(30 * MINUTE + 2_000)

        assert playing.ending == ("aborted", "*")
        assert playing.ended_at == 30 * MINUTE


class TestSockets:
    def test_two_tabs_are_one_presence(self) -> None:
        """C058b, c: closing one changes nothing, closing the other starts the countdown."""
        playing = in_play()
        playing.come(WHITE, 0, "second-tab")
        first, second = playing.table.white.connections

        change = detach(playing.table, WHITE, (first,), BEGAN_AT + 5_000)
        assert change is not None
        playing.take(change)
        assert not playing.table.white.is_away
        assert names(playing, 9_000) == []

        change = detach(playing.table, WHITE, (second,), BEGAN_AT + 10_000)
        assert change is not None
        playing.take(change)
        assert removal(playing, WHITE) == 70_000

    def test_an_old_goodbye_does_not_take_the_new_socket(self) -> None:
        """C056: c1, c2, and only then the end of c1."""
        playing = in_play()
        [old] = playing.table.white.connections
        playing.come(WHITE, 5_000, "c2")

        change = detach(playing.table, WHITE, (old,), BEGAN_AT + 1_000)
        assert change is not None
        playing.take(change)

        assert playing.table.white.connections == ("c2",)
        assert not playing.table.white.is_away

    def test_a_goodbye_dated_before_the_last_sign_of_life_counts_from_that_sign(self) -> None:
        """Two tabs whose goodbyes come in the wrong order, with a move in between."""
        playing = in_play()
        playing.come(WHITE, 0, "second-tab")
        playing.move("g1f3", at=30_000)

        playing.leave(WHITE, 10_000)

        assert removal(playing, WHITE) == 90_000

    def test_a_goodbye_of_a_socket_that_is_not_here_changes_nothing(self) -> None:
        playing = in_play()

        assert detach(playing.table, WHITE, (ConnectionId("never-seen"),), BEGAN_AT) is None
        playing.leave(WHITE, 1_000)
        assert detach(playing.table, WHITE, (ConnectionId("socket-white"),), BEGAN_AT) is None
        assert removal(playing, WHITE) == 61_000

    def test_the_fifth_socket_evicts_the_oldest(self) -> None:
        playing = in_play()
        for socket in ("c2", "c3", "c4"):
            assert playing.come(WHITE, 0, socket).evicted == ()

        change = playing.come(WHITE, 0, "c5")

        assert change.evicted == ("socket-white",)
        assert playing.table.white.connections == ("c2", "c3", "c4", "c5")

    def test_a_socket_that_comes_again_evicts_nobody(self) -> None:
        playing = in_play()
        for socket in ("c2", "c3", "c4"):
            playing.come(WHITE, 0, socket)

        change = playing.come(WHITE, 0, "socket-white")

        assert change.evicted == ()
        assert playing.table.white.connections == ("c2", "c3", "c4", "socket-white")


class TestProbe:
    def test_who_was_not_heard_for_45_seconds_is_asked(self) -> None:
        playing = in_play()

        assert settle(playing.table, BEGAN_AT + 44_999, playing.policy) is None
        change = settle(playing.table, BEGAN_AT + 45_000, playing.policy)

        assert change is not None
        assert change.event is None
        assert change.table.v == playing.table.v
        assert change.probed in (("socket-white",), ("socket-black",))

    def test_every_socket_of_the_seat_is_asked(self) -> None:
        playing = in_play()
        playing.come(WHITE, 0, "second-tab")
        playing.move("g1f3", at=20_000)
        playing.move("b8c6", at=30_000)

        change = settle(playing.table, BEGAN_AT + 65_000, playing.policy)

        assert change is not None
        assert change.probed == ("socket-white", "second-tab")

    @pytest.mark.parametrize("sign", ["move", "attach", "offer", "decline"])
    def test_a_sign_of_life_puts_the_question_off(self, sign: str) -> None:
        playing = in_play()
        match sign:
            case "move":
                playing.move("g1f3", at=30_000)
            case "attach":
                playing.come(WHITE, 30_000, "socket-white")
            case "offer":
                playing.act(WHITE, OfferDraw, at=30_000)
            case _:
                playing.act(BLACK, OfferDraw, at=20_000)
                playing.act(WHITE, DeclineDraw, at=30_000, v=playing.table.v)

        asked = [
            due.at - BEGAN_AT
            for due in dues(playing.table, playing.policy)
            if due.matter is Matter.PROBE and due.side is WHITE
        ]

        assert asked == [75_000]

    def test_an_answer_within_15_seconds_is_all_it_takes(self) -> None:
        playing = in_play()

        for at in range(45_000, 600_000, 15_000):
            assert names(playing, at) == []

        assert playing.table.white.probed_at is None
        assert len(playing.table.white.connections) == 1

    @pytest.mark.parametrize("side", Side)
    def test_without_an_answer_the_sockets_are_gone_and_absence_counts_from_there(
        self, side: Side
    ) -> None:
        """C054: asked at 45 s, gone at 60 s, told at 63 s, removed at 120 s."""
        playing, silent = in_play(), frozenset({side})
        playing.tick(45_000, silent=silent)
        playing.tick(59_999, silent=silent)
        assert not playing.table.seat(side).is_away

        playing.tick(60_000, silent=silent)
        assert playing.table.seat(side).is_away
        assert names(playing, 62_999, silent) == []
        assert names(playing, 63_000, silent) == ["away"]
        assert removal(playing, side) == 120_000
        playing.tick(121_999, silent=silent)
        assert not playing.is_over
        playing.tick(122_000, silent=silent)
        assert playing.ending == ("abandonment", "0-1" if side is WHITE else "1-0")

    def test_a_late_look_dates_the_loss_at_the_end_of_the_answering_time(self) -> None:
        playing, silent = in_play(), BOTH
        playing.tick(45_000, silent=silent)

        playing.tick(62_000, silent=silent)

        assert [playing.table.seat(side).away_since for side in Side] == [BEGAN_AT + 60_000] * 2

    def test_a_question_that_is_late_leaves_its_full_time_to_answer(self) -> None:
        """Asked by a sweep at 100 s: the answer counts until 115 s."""
        playing = in_play()
        playing.tick(100_000, silent=BOTH)

        playing.tick(114_999, silent=BOTH)
        assert not playing.table.white.is_away
        playing.tick(115_000, silent=BOTH)
        assert playing.table.white.is_away

    def test_who_is_gone_is_not_asked(self) -> None:
        playing = in_play()
        playing.leave(WHITE, 1_000)

        asked = {
            due.side
            for due in dues(playing.table, playing.policy)
            if due.matter in (Matter.PROBE, Matter.PROBE_FAILED)
        }

        assert asked == {BLACK}

    def test_an_end_forgets_the_question(self) -> None:
        playing = in_play(TimeControl(total_ms=None, per_move_ms=50_000))
        playing.tick(45_000, silent=BOTH)

        playing.tick(52_000, silent=BOTH)

        assert playing.is_over
        assert playing.table.white.probed_at is None
        assert dues(playing.table, playing.policy) == []
        assert next_wake(playing.table, playing.policy) is None


def waiting(*, is_public: bool = False, side: Side = WHITE) -> Table:
    wishes = Wishes("standard", LONG, side, is_public)
    maker = Sitter(WHITE_PLAYER, ConnectionId("maker-socket"), digest_of("made"))
    start = RULESETS["standard"].start_fen()
    return make_table(TABLE_ID, wishes, maker, start, BEGAN_AT).table


def joined(table: Table, at: int = 0) -> Table:
    joiner = Sitter(BLACK_PLAYER, ConnectionId("joiner-socket"), digest_of("joined"))
    return sit_down(table, joiner, BEGAN_AT + at).table


class TestBeforePlay:
    @pytest.mark.parametrize("side", Side)
    @pytest.mark.parametrize(("is_public", "grace"), [(True, MINUTE), (False, 15 * MINUTE)])
    def test_a_waiting_table_closes_when_its_maker_stays_away(
        self, side: Side, grace: int, *, is_public: bool
    ) -> None:
        playing = Playing(waiting(is_public=is_public, side=side))
        playing.leave(side, 5_000)

        assert names(playing, 5_000 + grace - 1) == []
        assert names(playing, 5_000 + grace) == ["ended"]

        assert playing.ending == ("closed", "*")
        assert playing.ended_at == 5_000 + grace

    @pytest.mark.parametrize("is_public", [True, False])
    def test_a_waiting_table_stays_open_when_its_maker_returns(self, *, is_public: bool) -> None:
        playing = Playing(waiting(is_public=is_public))
        playing.leave(WHITE, 0)

        change = playing.come(WHITE, 59_000)

        assert change.event is None
        assert names(playing, 16 * MINUTE) == []
        assert playing.table.status is Status.WAITING

    @pytest.mark.parametrize(("is_public", "every"), [(True, 45_000), (False, 5 * MINUTE)])
    def test_the_maker_of_a_waiting_table_is_asked_too(
        self, every: int, *, is_public: bool
    ) -> None:
        """C072: a ghost is found out, private tables being asked less often."""
        table, policy = waiting(is_public=is_public), Policy()

        assert settle(table, BEGAN_AT + every - 1, policy) is None
        asked = settle(table, BEGAN_AT + every, policy)
        assert asked is not None
        assert asked.probed == ("maker-socket",)
        playing = Playing(asked.table)
        playing.tick(every + 15_000, silent=BOTH)

        assert playing.table.white.away_since == BEGAN_AT + every + 15_000

    def test_play_begins_when_the_second_sits_down_and_both_are_there(self) -> None:
        table = joined(waiting(), at=70_000)

        assert table.status is Status.LIVE
        assert (table.began_at, table.clock.turn_at) == (BEGAN_AT + 70_000, BEGAN_AT + 70_000)
        assert (table.clock.white_ms, table.clock.black_ms) == (7_200_000, 7_200_000)

    @pytest.mark.parametrize("side", Side)
    def test_the_beginning_counts_as_a_sign_of_life_of_both(self, side: Side) -> None:
        """A maker who waited long is not asked the moment that play begins."""
        table = joined(waiting(), at=70_000)

        asked = [due.at for due in dues(table, Policy()) if due.side is side]

        assert BEGAN_AT + 70_000 + 45_000 in asked
        assert settle(table, BEGAN_AT + 114_999, Policy()) is None

    def test_play_waits_for_a_maker_who_is_away_and_whites_clock_with_it(self) -> None:
        playing = Playing(waiting())
        playing.leave(WHITE, 10_000)
        playing.take(sit_down(
            playing.table,
            Sitter(BLACK_PLAYER, ConnectionId("joiner-socket"), digest_of("joined")),
            BEGAN_AT + 20_000,
        ))  # fmt: skip
        assert playing.table.status == "seated"
        assert names(playing, 200_000) == []

        change = playing.come(WHITE, 200_000)

        assert change.event is not None
        assert change.event.name is Happened.BEGAN
        assert playing.table.status == "live"
        assert playing.table.clock.turn_at == BEGAN_AT + 200_000

    def test_a_table_closes_five_minutes_after_seating_if_play_does_not_begin(self) -> None:
        """Nobody is removed before play begins, however long he is away."""
        playing = Playing(waiting())
        playing.leave(WHITE, 0)
        playing = Playing(joined(playing.table, at=20_000))

        assert names(playing, 20_000 + 5 * MINUTE - 1) == []
        assert removal(playing, WHITE) is None
        assert names(playing, 20_000 + 5 * MINUTE) == ["ended"]

        assert playing.ending == ("closed", "*")

    def test_a_table_that_is_over_waits_for_nothing(self) -> None:
        playing = in_play()
        playing.agree(WHITE)
        playing.leave(WHITE, 1_000)

        assert dues(playing.table, playing.policy) == []
        assert names(playing, 10**9) == []
        change = attach(playing.table, WHITE, ConnectionId("later"), BEGAN_AT + 10**6)
        assert change.event is None
        assert change.table.v == playing.table.v


class TestWaking:
    def test_the_next_look_is_at_the_earliest_thing_patience_included(self) -> None:
        playing = Playing.start(TimeControl(total_ms=None, per_move_ms=30_000))
        assert next_wake(playing.table, playing.policy) == BEGAN_AT + 32_000

        playing.leave(BLACK, 10_000)
        assert next_wake(playing.table, playing.policy) == BEGAN_AT + 13_000
        playing.tick(13_000)
        assert next_wake(playing.table, playing.policy) == BEGAN_AT + 32_000

    def test_what_fell_due_first_is_written_first(self) -> None:
        """Removal due at 61 s, flag at 62 s; nobody looked until 10 minutes later."""
        playing = Playing.start(TimeControl(total_ms=None, per_move_ms=62_000)).play("e2e4 e7e5")
        playing.leave(BLACK, 1_000)

        playing.tick(10 * MINUTE)

        assert playing.ending == ("abandonment", "1-0")
        assert playing.ended_at == 61_000

    def test_a_look_that_is_early_finds_nothing_and_may_come_as_often_as_it_likes(self) -> None:
        playing = in_play()

        for at in range(0, 45_000, 1_000):
            assert settle(playing.table, BEGAN_AT + at, playing.policy) is None
