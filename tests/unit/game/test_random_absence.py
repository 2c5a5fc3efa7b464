"""Random comings and goings, against the rule read from its own words.

"The loss counts from the disconnect; removal is 60 s later. While both are away no removal instant
exists; when one returns, the other's 60 s start then."
"""

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.game.side import Side
from tests.support.playing import UNTIMED, Playing

SECOND = 1_000
STEPS = st.lists(
    st.tuples(st.integers(1, 50), st.sampled_from(list(Side)), st.booleans()),
    min_size=1,
    max_size=16,
)


@dataclass
class History:
    """When each side was lost and when it came back, in order."""

    lost_at: dict[Side, int | None] = field(default_factory=lambda: dict.fromkeys(Side))
    back_at: dict[Side, int] = field(default_factory=lambda: dict.fromkeys(Side, 0))

    def removal_at(self, side: Side) -> int | None:
        """A minute after the loss, or after the other's return if that came later."""
        lost_at = self.lost_at[side]
        if lost_at is None or self.lost_at[side.other] is not None:
            return None
        return max(lost_at, self.back_at[side.other]) + 60 * SECOND

    def judged(self, now: int) -> Side | None:
        """The side whose removal may be written now, if any; both at once cannot be."""
        for side in Side:
            at = self.removal_at(side)
            if at is not None and at + 2 * SECOND <= now:
                return side
        return None


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_removal_strikes_the_side_that_stays_away_and_only_then(
    steps: list[tuple[int, Side, bool]],
) -> None:
    playing = Playing.start(UNTIMED).play("e2e4 e7e5")
    history, now = History(), 0
    for seconds, side, is_coming in steps:
        for _ in range(seconds):
            now += SECOND
            playing.tick(now)
            loser = history.judged(now)
            if loser is not None:
                assert playing.ending == ("abandonment", "0-1" if loser is Side.WHITE else "1-0")
                assert playing.ended_at == history.removal_at(loser)
                return
            assert playing.ending is None
        if is_coming:
            playing.come(side, now)
            if history.lost_at[side] is not None:
                history.lost_at[side], history.back_at[side] = None, now
        else:
            playing.leave(side, now)
            history.lost_at[side] = history.lost_at[side] or now
    told = [event for event in playing.events if event.name in {"away", "back"}]
    for one in Side:
        own = [event.name.value for event in told if event.by is one]
        assert own == ["away", "back"] * (len(own) // 2) + ["away"] * (len(own) % 2)
