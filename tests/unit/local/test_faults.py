"""Draws of the switches: the same for a seed, independent of each other, and in their shares."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.call_faults import Mishap
from infra.local.faults import Chance, Faults

DRAWS = 2000
EVERYTHING = Faults(
    messages="shuffled",
    posts="shuffled",
    disconnect_dropped=0.3,
    disconnect_late=0.3,
    queue_doubled=0.3,
    queue_late=0.3,
    stream_doubled=0.3,
    stream_late=0.3,
    stream_order="shuffled",
    tick_doubled=0.3,
    tick_late=0.3,
    dynamodb_throttled=0.1,
    dynamodb_failed_after=0.1,
    dynamodb_conflict=0.1,
    sqs_hung_up=0.3,
    connections_unanswered=0.3,
    connections_late=0.3,
    killed=0.3,
)
Draw = Callable[[Chance], object]
KINDS: dict[str, Draw] = {
    "queue late": lambda chance: chance.late_ms("queue"),
    "stream late": lambda chance: chance.late_ms("stream"),
    "tick late": lambda chance: chance.late_ms("tick"),
    "queue again": lambda chance: chance.again_ms("queue"),
    "stream again": lambda chance: chance.again_ms("stream"),
    "tick again": lambda chance: chance.again_ms("tick"),
    "disconnect": lambda chance: chance.disconnect_ms(),
    "call of DynamoDB": lambda chance: chance.mishap("dynamodb", can_conflict=True),
    "call of SQS": lambda chance: chance.mishap("sqs"),
    "call of @connections": lambda chance: chance.mishap("connections"),
    "late call": lambda chance: chance.call_late_ms("connections"),
    "killed": lambda chance: chance.killed_after_ms(),
    "messages": lambda chance: chance.order("messages", "abcdefgh", str),
    "posts": lambda chance: chance.order("posts", "abcdefgh", str),
    "queue order": lambda chance: chance.order("queue", "abcdefgh", str),
    "stream order": lambda chance: chance.order("stream", "abcdefgh", str),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_draws_the_same(kind: str) -> None:
    assert drawn(kind, Chance(EVERYTHING, 7)) == drawn(kind, Chance(EVERYTHING, 7))
    assert drawn(kind, Chance(EVERYTHING, 7)) != drawn(kind, Chance(EVERYTHING, 8))


@pytest.mark.parametrize("kind", KINDS)
def test_a_restart_draws_from_the_beginning(kind: str) -> None:
    chance = Chance(EVERYTHING, 7)
    first = drawn(kind, chance)
    chance.restart(EVERYTHING, 7)
    assert drawn(kind, chance) == first


@pytest.mark.parametrize("kind", KINDS)
def test_draws_of_one_kind_do_not_change_those_of_another(kind: str) -> None:
    alone, amidst = Chance(EVERYTHING, 7), Chance(EVERYTHING, 7)
    expected = drawn(kind, alone)
    heard = []
    for _ in range(50):
        for other, draw in KINDS.items():
            answer = draw(amidst)
            if other == kind:
                heard.append(answer)
    assert heard == expected


def test_what_is_switched_on_later_hits_the_same_ones() -> None:
    always = Chance(Faults(queue_doubled=0.3), 7)
    late = Chance(Faults(), 7)
    expected = [always.again_ms("queue") for _ in range(100)]
    for _ in range(50):
        assert late.again_ms("queue") is None
    late.faults = always.faults
    assert [late.again_ms("queue") for _ in range(50)] == expected[50:]


def test_a_larger_share_hits_more_of_them_and_none_less() -> None:
    few, many = (Chance(Faults(disconnect_dropped=share), 7) for share in (0.2, 0.5))
    for _ in range(DRAWS):
        if few.disconnect_ms() is None:
            assert many.disconnect_ms() is None
        else:
            many.disconnect_ms()
    assert few.counts["disconnectDropped"] < many.counts["disconnectDropped"]


def test_that_a_disconnect_is_dropped_does_not_change_how_late_the_others_are() -> None:
    late = Faults(disconnect_late=0.5)
    all_run = Chance(late, 7)
    some_dropped = Chance(Faults(disconnect_late=0.5, disconnect_dropped=0.3), 7)
    for _ in range(200):
        expected, drawn_ = all_run.disconnect_ms(), some_dropped.disconnect_ms()
        assert drawn_ in {None, expected}


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_shares_hold(share: float) -> None:
    chance = Chance(Faults(queue_late=share, tick_doubled=share, disconnect_dropped=share), 3)
    late = sum(chance.late_ms("queue") > 0 for _ in range(DRAWS))
    doubled = sum(chance.again_ms("tick") is not None for _ in range(DRAWS))
    dropped = sum(chance.disconnect_ms() is None for _ in range(DRAWS))
    for happened in (late, doubled, dropped):
        assert abs(happened / DRAWS - share) < 0.04
    assert (late, doubled, dropped) == tuple(
        chance.counts[one] for one in ("queueLate", "tickDoubled", "disconnectDropped")
    )


def test_shares_of_calls_hold_and_each_is_counted_by_its_name() -> None:
    faults = Faults(sqs_throttled=0.2, sqs_failed_after=0.2, sqs_unanswered=0.2)
    chance = Chance(faults, 3)
    drawn_ = Counter(chance.mishap("sqs") for _ in range(DRAWS))
    # What comes first hides the others.
    shares = {
        Mishap.THROTTLED: 0.2,
        Mishap.FAILED_AFTER: 0.8 * 0.2,
        Mishap.UNANSWERED: 0.8 * 0.8 * 0.2,
        None: 0.8**3,
    }
    assert set(drawn_) == set(shares)
    for mishap, share in shares.items():
        assert abs(drawn_[mishap] / DRAWS - share) < 0.04
    assert chance.counts == {
        "sqsThrottled": drawn_[Mishap.THROTTLED],
        "sqsFailedAfter": drawn_[Mishap.FAILED_AFTER],
        "sqsUnanswered": drawn_[Mishap.UNANSWERED],
    }


def test_only_what_can_conflict_does() -> None:
    chance = Chance(Faults(dynamodb_conflict=1.0), 3)
    assert chance.mishap("dynamodb") is None
    assert chance.mishap("dynamodb", can_conflict=True) is Mishap.CONFLICT


def test_who_is_killed_is_killed_within_the_span() -> None:
    chance = Chance(Faults(killed=0.5, killed_ms=100), 3)
    instants = [one for _ in range(DRAWS) if (one := chance.killed_after_ms()) is not None]
    assert abs(len(instants) / DRAWS - 0.5) < 0.04
    assert 0 <= min(instants) < 5
    assert 95 < max(instants) <= 100


def test_lateness_is_spread_up_to_its_most() -> None:
    chance = Chance(Faults(queue_late=1.0, queue_late_ms=100), 3)
    late = [chance.late_ms("queue") for _ in range(DRAWS)]
    assert set(late) == set(range(1, 101))


def test_half_of_the_second_copies_come_at_the_same_time() -> None:
    chance = Chance(Faults(stream_doubled=1.0, stream_late_ms=1000), 3)
    again = [chance.again_ms("stream") or 0 for _ in range(DRAWS)]
    assert 0.4 < again.count(0) / DRAWS < 0.6
    assert max(again) <= 1000


def test_without_a_span_nothing_is_late() -> None:
    chance = Chance(Faults(queue_late=1.0, queue_doubled=1.0, queue_late_ms=0))
    assert chance.late_ms("queue") == 0
    assert chance.again_ms("queue") == 0
    assert chance.counts["queueLate"] == 0


@given(keys=st.lists(st.sampled_from("abc"), max_size=8), seed=st.integers(0, 50))
def test_another_order_keeps_the_order_within_a_key(keys: list[str], seed: int) -> None:
    items = list(enumerate(keys))
    chance = Chance(Faults(stream_order="shuffled"), seed)
    mixed = chance.order("stream", items, key=lambda item: item[1])
    assert sorted(mixed) == items
    for key in set(keys):
        assert [one for one in mixed if one[1] == key] == [one for one in items if one[1] == key]
    assert (mixed != items) == (len(set(keys)) > 1)


def test_orders_stay_as_they_are_unless_switched_on() -> None:
    chance = Chance(Faults(queue_order="kept"))
    for kind in ("messages", "posts", "queue", "stream"):
        assert chance.order(kind, "abcdef", str) == list("abcdef")
    assert not chance.counts


def drawn(kind: str, chance: Chance) -> list[object]:
    return [KINDS[kind](chance) for _ in range(50)]
