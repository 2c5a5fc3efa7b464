"""What a function's answer to a batch of changes means: what is done, tried again, given up.

Pure: batches, outcomes and instants in, batches out. The rules are those of the Lambda guide on
partial batch responses, bisecting and retries of streams.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from infra.local.json_values import Json
from infra.local.lambdas.invocation import Outcome
from infra.local.streams.changes import Change
from infra.local.streams.mapping import StreamSource

RETENTION_MS: Final = 86_400_000
FIRST_PAUSE_MS: Final = 1000
LONGEST_PAUSE_MS: Final = 60_000
Condition = Literal["RetryAttemptsExhausted", "RecordAgeExceeded"]


@dataclass(frozen=True, slots=True)
class Batch:
    """Changes to hand over together, in order.

    `failures` counts those of its first change; `invocations` those of the batch and of the ones
    it was split from. It is not handed over before `due_at`. `is_replay`: it succeeded before.
    """

    changes: tuple[Change, ...]
    due_at: int = 0
    failures: int = 0
    invocations: int = 0
    is_replay: bool = False
    last: Outcome | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Discarded:
    """A batch that is not handed over again, and why."""

    batch: Batch
    condition: Condition


@dataclass(frozen=True, slots=True)
class Next:
    """What follows: batches to hand over, the first one first, and what is given up."""

    batches: tuple[Batch, ...] = ()
    discarded: Discarded | None = None


def first_failed(batch: Batch, outcome: Outcome, *, reports_failures: bool) -> int | None:
    """Return the position of the first change that failed, None when none did.

    An error, an empty or unknown identifier or a malformed answer fails the whole batch; of
    several identifiers the lowest sequence number counts.
    """
    if outcome.error is not None:
        return 0
    if not reports_failures or not outcome.value:
        return None
    if not isinstance(outcome.value, Mapping):
        return 0
    failures = outcome.value.get("batchItemFailures")
    if not failures:
        return None
    places = {change.sequence: place for place, change in enumerate(batch.changes)}
    return min(places.get(_identifier(one), 0) for one in failures)


def after_failure(batch: Batch, failed_from: int, source: StreamSource, now: int) -> Next:
    """Return what follows when the change at `failed_from` was the first to fail."""
    if failed_from:
        rest = replace(batch, changes=batch.changes[failed_from:], failures=0)
        # With bisecting, the answer itself was the cut, and cuts use up no retries.
        return Next((replace(rest, due_at=now),)) if source.bisects else _retried(rest, source, now)
    if source.bisects and len(batch.changes) > 1:
        middle = (len(batch.changes) + 1) // 2
        halves = (batch.changes[:middle], batch.changes[middle:])
        return Next(tuple(replace(batch, changes=half, due_at=now) for half in halves))
    return _retried(batch, source, now)


def without_expired(batch: Batch, source: StreamSource, now: int) -> Next:
    """Return the batch without the changes that have become too old to be handed over."""
    limit = RETENTION_MS
    if source.most_age_s is not None:
        limit = min(limit, source.most_age_s * 1000)
    expired = tuple(one for one in batch.changes if now - one.created_at >= limit)
    if not expired:
        return Next((batch,))
    live = tuple(one for one in batch.changes if now - one.created_at < limit)
    discarded = Discarded(replace(batch, changes=expired), "RecordAgeExceeded")
    return Next((replace(batch, changes=live),) if live else (), discarded)


def _retried(batch: Batch, source: StreamSource, now: int) -> Next:
    failures = batch.failures + 1
    if source.most_retries is not None and failures > source.most_retries:
        return Next(discarded=Discarded(batch, "RetryAttemptsExhausted"))
    pause = min(FIRST_PAUSE_MS * 2 ** min(failures - 1, 10), LONGEST_PAUSE_MS)
    return Next((replace(batch, failures=failures, due_at=now + pause),))


def _identifier(failure: Json) -> str:
    return str(failure.get("itemIdentifier") or "") if isinstance(failure, Mapping) else ""
