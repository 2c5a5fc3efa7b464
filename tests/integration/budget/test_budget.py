"""What each action costs, against the table in docs/budget.md: no more, and no less, unseen."""

import pytest

from tests.integration.budget.ledger import budget, line_of
from tests.integration.budget.scenes import SCENES
from tests.support.aws_calls import spending
from tests.support.in_process import Rig


@pytest.mark.parametrize("what", SCENES)
def test_an_action_costs_what_the_budget_says(rig: Rig, what: str) -> None:
    act = SCENES[what](rig)
    with spending() as spent:
        act()
    assert line_of(what, spent) == budget()[what]


def test_the_budget_and_the_scenes_are_about_the_same() -> None:
    assert list(budget()) == list(SCENES)
