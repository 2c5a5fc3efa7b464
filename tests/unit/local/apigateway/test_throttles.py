"""Facts A5: token buckets, and what they go by."""

from collections.abc import Callable
from pathlib import Path

import pytest

from infra.local.apigateway.throttles import (
    AccountLimits,
    Bucket,
    Rate,
    RouteRates,
    Throttles,
    read_rates,
    seconds_of,
)
from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.timing.clock import SystemClock, TestClock

PLACE = ("api", "live", "move")


class Hands:
    """A clock for buckets that is moved by hand."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def taken(take: Callable[[], bool], times: int) -> int:
    return sum(take() for _ in range(times))


@pytest.mark.fact("A5.token-bucket")
def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    hands = Hands()
    bucket = Bucket(Rate(per_second=2, burst=5), hands)
    assert taken(bucket.take, 10) == 5
    hands.seconds += 1.5
    assert taken(bucket.take, 10) == 3
    hands.seconds += 1_000
    assert taken(bucket.take, 10) == 5


def test_half_a_token_is_none() -> None:
    hands = Hands()
    bucket = Bucket(Rate(per_second=1, burst=1), hands)
    assert bucket.take()
    hands.seconds += 0.5
    assert not bucket.take()
    hands.seconds += 0.5
    assert bucket.take()


def test_a_rate_of_nothing_lets_nothing_in() -> None:
    hands = Hands()
    bucket = Bucket(Rate(per_second=0, burst=0), hands)
    hands.seconds += 10
    assert not bucket.take()


@pytest.mark.fact("A5.new-connections", "A5.new-connections.burst")
def test_an_account_takes_500_new_connections_a_second() -> None:
    hands = Hands()
    throttles = Throttles(AccountLimits(), hands)
    assert taken(throttles.takes_connection, 600) == 500
    hands.seconds += 0.125
    assert taken(throttles.takes_connection, 600) == 62


@pytest.mark.fact("A5.account-rate")
def test_an_account_takes_5000_requests_at_once_and_10000_a_second() -> None:
    hands = Hands()
    throttles = Throttles(AccountLimits(), hands)
    assert taken(throttles.takes_request, 6_000) == 5_000
    hands.seconds += 0.25
    assert taken(throttles.takes_request, 6_000) == 2_500


@pytest.mark.fact("A5.account-rate.shared")
def test_messages_and_callbacks_share_what_the_account_may_take() -> None:
    throttles = Throttles(AccountLimits(requests_burst=3), Hands())
    assert throttles.takes_message(PLACE, None)
    assert throttles.takes_request()
    assert throttles.takes_message(PLACE, None)
    assert not throttles.takes_request()
    assert not throttles.takes_message(PLACE, None)


@pytest.mark.fact("A5.stage-rate.shared")
def test_each_route_of_each_stage_has_the_default_rate_for_itself() -> None:
    throttles = Throttles(AccountLimits(), Hands())
    rate = Rate(per_second=1, burst=2)
    for place in (PLACE, ("api", "live", "chat"), ("api", "test", "move"), ("b", "live", "move")):
        assert [throttles.takes_message(place, rate) for _ in range(3)] == [True, True, False]


def test_what_a_route_refuses_is_not_counted_for_the_account() -> None:
    throttles = Throttles(AccountLimits(requests_burst=2), Hands())
    closed = Rate(per_second=0, burst=0)
    assert not any(throttles.takes_message(PLACE, closed) for _ in range(5))
    assert throttles.takes_request()


@pytest.mark.fact("A5.stage-rate", "A5.route-rate")
def test_a_stage_sets_rates_for_all_its_routes_and_for_one() -> None:
    stage = {
        "DefaultRouteSettings": {"ThrottlingRateLimit": 100, "ThrottlingBurstLimit": "50"},
        "RouteSettings": {
            "move": {"ThrottlingRateLimit": 7},
            "chat": {"ThrottlingBurstLimit": 3},
            "say": {"DataTraceEnabled": True},
        },
    }
    rates = read_rates(stage, {"move", "chat", "say", "$connect"})
    assert rates.of("$connect") == Rate(100, 50)
    assert rates.of("move") == Rate(7, 5_000)
    assert rates.of("chat") == Rate(10_000, 3)
    assert rates.of("say") == Rate(100, 50)


def test_a_stage_that_sets_nothing_leaves_it_to_the_account() -> None:
    assert read_rates({"RouteSettings": None}, set()) == RouteRates()
    assert RouteRates().of("move") is None


def test_settings_for_a_route_that_does_not_exist_are_refused() -> None:
    with pytest.raises(TemplateError, match="mvoe"):
        read_rates({"RouteSettings": {"mvoe": {}}}, {"move"})


def test_buckets_go_by_real_time_and_by_what_a_test_clock_is_advanced(tmp_path: Path) -> None:
    clock = TestClock(tmp_path / "clock", 1_000_000)
    seconds = seconds_of(clock)
    before = seconds()
    clock.set(clock.now() + 60_000)
    assert 60 <= seconds() - before < 70
    bucket = Bucket(Rate(per_second=1_000_000, burst=1), seconds)
    assert bucket.take()
    before = seconds()
    while seconds() - before < 0.001:  # real time goes on while the clock stands still
        pass
    assert bucket.take()


def test_with_the_systems_clock_only_real_time_counts() -> None:
    assert abs(seconds_of(SystemClock())() - seconds_of(SystemClock())()) < 1


def test_limits_are_changed_by_the_names_of_the_command_line() -> None:
    changed = AccountLimits().changed({"new-connections-per-second": 5, "requests-burst": 7})
    assert changed == AccountLimits(5, 10_000, 7)
