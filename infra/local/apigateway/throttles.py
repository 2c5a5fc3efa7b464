"""Token buckets: how many connections, messages and callbacks API Gateway takes in a second.

Knows the limits of an account and the settings of stages and routes (fact A5). Buckets fill with
real time and with what a test clock is advanced by, so that a clock that stands still does not
stop them.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.timing.clock import Clock

Seconds = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a second, after so many at once."""

    per_second: float
    burst: float


@dataclass(frozen=True, slots=True)
class AccountLimits:
    """The limits of an account in a region; the values are those AWS gives a new one."""

    new_connections_per_second: float = 500
    requests_per_second: float = 10_000
    requests_burst: float = 5_000

    def changed(self, values: Mapping[str, float]) -> "AccountLimits":
        """Return these limits with some of them changed; names as on the command line."""
        return replace(self, **{name.replace("-", "_"): value for name, value in values.items()})


LIMIT_NAMES: Final = tuple(name.replace("_", "-") for name in AccountLimits.__dataclass_fields__)


def seconds_of(clock: Clock) -> Seconds:
    """Return the seconds that buckets go by: real ones and those a test clock is advanced."""
    if not clock.is_frozen:
        return time.monotonic
    return lambda: time.monotonic() + clock.now() / 1000


class Bucket:
    """Tokens, one for each request; full at the start."""

    def __init__(self, rate: Rate, seconds: Seconds) -> None:
        self._rate = rate
        self._seconds = seconds
        self._tokens = float(rate.burst)
        self._filled_at = seconds()

    def take(self) -> bool:
        """Take a token; False when there is none."""
        now = self._seconds()
        gained = (now - self._filled_at) * self._rate.per_second
        self._tokens = min(self._rate.burst, self._tokens + gained)
        self._filled_at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


@dataclass(slots=True)
class RouteRates:
    """What the template sets for a stage: a rate for each of its routes, or for one of them."""

    default: Rate | None = None
    by_key: Mapping[str, Rate] = field(default_factory=dict)

    def of(self, key: str) -> Rate | None:
        """Return the rate of a route; None when only the account's limits hold."""
        return self.by_key.get(key, self.default)


class Throttles:
    """All buckets of the account."""

    def __init__(self, limits: AccountLimits, seconds: Seconds) -> None:
        new = limits.new_connections_per_second
        self._seconds = seconds
        self._connections = Bucket(Rate(new, new), seconds)
        self._account = Bucket(Rate(limits.requests_per_second, limits.requests_burst), seconds)
        self._routes: dict[tuple[str, str, str], Bucket] = {}

    def takes_connection(self) -> bool:
        """Say whether one more connection may be asked for in this second."""
        return self._connections.take()

    def takes_request(self) -> bool:
        """Say whether the account may make one more request: a callback, or one of a route."""
        return self._account.take()

    def takes_message(self, place: tuple[str, str, str], rate: Rate | None) -> bool:
        """Say whether a route, given as (API id, stage, key), may take one more request."""
        if rate is not None:
            bucket = self._routes.get(place)
            if bucket is None:
                bucket = self._routes[place] = Bucket(rate, self._seconds)
            if not bucket.take():
                return False
        return self.takes_request()


def read_rates(stage: Mapping[str, Any], route_keys: set[str]) -> RouteRates:
    """Return what a stage's properties set for its routes."""
    settings = stage.get("RouteSettings") or {}
    unknown = sorted(set(settings) - route_keys)
    if unknown:
        raise TemplateError(f"RouteSettings name a route {unknown[0]}, which does not exist")
    by_key = {key: _rate(one) for key, one in settings.items()}
    return RouteRates(
        _rate(stage.get("DefaultRouteSettings") or {}),
        {key: rate for key, rate in by_key.items() if rate is not None},
    )


def _rate(settings: Mapping[str, Any]) -> Rate | None:
    limit, burst = settings.get("ThrottlingRateLimit"), settings.get("ThrottlingBurstLimit")
    if limit is None and burst is None:
        return None
    account = AccountLimits()
    return Rate(
        account.requests_per_second if limit is None else float(limit),
        account.requests_burst if burst is None else float(burst),
    )
