"""Which time controls a table may be made with. No clock at all is one of them."""

from shared.game.clock import TimeControl
from shared.protocol.errors import BadTimeControl

SHORTEST_MS = 1_000
LONGEST_MS = 86_400_000
LONGEST_INCREMENT_MS = 180_000


def check_time_control(control: TimeControl) -> None:
    """Nothing, for a time control that can be played. Raises BadTimeControl (``field``)."""
    if not _is_span(control.total_ms):
        raise BadTimeControl(field="totalMs")
    if not _is_span(control.per_move_ms):
        raise BadTimeControl(field="perMoveMs")
    if not 0 <= control.increment_ms <= LONGEST_INCREMENT_MS:
        raise BadTimeControl(field="incrementMs")
    if control.increment_ms and control.total_ms is None:
        raise BadTimeControl(field="incrementMs")


def _is_span(limit_ms: int | None) -> bool:
    return limit_ms is None or SHORTEST_MS <= limit_ms <= LONGEST_MS
