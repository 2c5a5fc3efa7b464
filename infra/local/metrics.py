"""Counts of what happened since the start, for tests and benchmarks."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Metrics:
    """Counters; `invocations` and `errors` per function, `faults` per switch."""

    invocations: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    posts: int = 0
    messages: int = 0
    connects: int = 0
    disconnects: int = 0
    deliveries: int = 0
    throttled: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, object]:
        """Return the counters in the shape of the control API."""
        return {
            "invocations": dict(self.invocations),
            "errors": dict(self.errors),
            "posts": self.posts,
            "messages": self.messages,
            "connects": self.connects,
            "disconnects": self.disconnects,
            "deliveries": self.deliveries,
            "throttled": self.throttled,
            "faults": dict(self.faults),
        }
