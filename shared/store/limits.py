"""Counters of what somebody did in a fixed window of time; DynamoDB adds, so none is lost."""

from shared.store.models import LimitRow, table_of
from shared.store.values import Item, read_count

_CLEANED_AFTER_MS = 3_600_000


class Limits:
    """The counters, as the port wants them."""

    def count(self, subject: str, window_ms: int, now: int) -> int:
        """How often, in the current window, without counting anything."""
        key = _key(subject, window_ms, now)
        item: Item = table_of(LimitRow).get_item(key, consistent_read=True).get("Item", {})
        return read_count(item, "n")

    def add(self, subject: str, window_ms: int, now: int) -> int:
        """How often, after counting once more."""
        cleaned_at = (now + window_ms + _CLEANED_AFTER_MS) // 1000
        actions = [LimitRow.n.add(1), LimitRow.expires_at.set(cleaned_at)]
        key = _key(subject, window_ms, now)
        answer = table_of(LimitRow).update_item(key, actions=actions, return_values="UPDATED_NEW")
        return read_count(answer["Attributes"], "n")


def _key(subject: str, window_ms: int, now: int) -> str:
    """The counter of the window that `now` lies in; windows start at multiples of their length."""
    return f"{subject}#{window_ms}#{now // window_ms}"
