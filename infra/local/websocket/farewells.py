"""Whether and when `$disconnect` is run: AWS promises neither (fact A3), so both are switches.

A late one is due on the agenda, where the test clock reaches it; at a stop it is run at once.
"""

from collections.abc import Callable
from itertools import count

from infra.local.faults import Chance
from infra.local.timing.agenda import Agenda

Farewell = Callable[[], None]


class Farewells:
    """The `$disconnect`s that are still to come."""

    def __init__(self, chance: Chance, agenda: Agenda) -> None:
        self._chance = chance
        self._agenda = agenda
        self._numbers = count()
        self._late: dict[int, Farewell] = {}
        self._is_hurried = False

    def say(self, farewell: Farewell) -> None:
        """Run it now, later or never."""
        late_ms = self._chance.disconnect_ms()
        if late_ms is None:
            return
        if not late_ms or self._is_hurried:
            farewell()
            return
        number = next(self._numbers)
        self._late[number] = farewell
        self._agenda.at(self._agenda.clock.now() + late_ms, lambda: self._say_late(number))

    def hurry(self) -> None:
        """Run at once what is late, and from now on whatever is to be run."""
        self._is_hurried = True
        for number in list(self._late):
            self._say_late(number)

    def _say_late(self, number: int) -> None:
        farewell = self._late.pop(number, None)
        if farewell is not None:
            farewell()
