"""How API Gateway writes an instant into an event."""

from datetime import UTC, datetime


def request_time(instant: int) -> str:
    """Return an instant (epoch milliseconds) like `10/Jul/2026:19:19:05 +0000`."""
    return datetime.fromtimestamp(instant / 1000, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
