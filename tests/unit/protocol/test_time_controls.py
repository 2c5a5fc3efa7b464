import pytest

from shared.game.clock import TimeControl
from shared.protocol.errors import BadTimeControl
from shared.protocol.time_controls import check_time_control


@pytest.mark.parametrize(
    ("total_ms", "per_move_ms", "increment_ms"),
    [
        (900_000, 60_000, 0),
        (None, None, 0),
        (1_000, 1_000, 0),
        (86_400_000, 86_400_000, 180_000),
        (180_000, None, 2_000),
        (30_000, 60_000, 0),
        (None, 86_400_000, 0),
    ],
)
def test_these_can_be_played(
    total_ms: int | None, per_move_ms: int | None, increment_ms: int
) -> None:
    check_time_control(TimeControl(total_ms, per_move_ms, increment_ms))


@pytest.mark.parametrize(
    ("total_ms", "per_move_ms", "increment_ms", "field"),
    [
        (999, None, 0, "totalMs"),
        (0, None, 0, "totalMs"),
        (-1, None, 0, "totalMs"),
        (86_400_001, None, 0, "totalMs"),
        (10**300, None, 0, "totalMs"),
        (None, 999, 0, "perMoveMs"),
        (None, 86_400_001, 0, "perMoveMs"),
        (60_000, None, -1, "incrementMs"),
        (60_000, None, 180_001, "incrementMs"),
        (None, 60_000, 1, "incrementMs"),
        (None, None, 1_000, "incrementMs"),
    ],
)
def test_these_cannot_and_the_part_that_is_wrong_is_named(
    total_ms: int | None, per_move_ms: int | None, increment_ms: int, field: str
) -> None:
    with pytest.raises(BadTimeControl) as caught:
        check_time_control(TimeControl(total_ms, per_move_ms, increment_ms))
    assert caught.value.parameters == {"field": field}
