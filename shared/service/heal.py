"""How often a table is shown to everybody again because somebody asked twice.

Kept in the process: it bounds what an impatient client can cost, and two processes may each
allow one.
"""

from collections import OrderedDict
from collections.abc import Callable

from shared.game.ids import TableId

EVERY_MS = 1_000
REMEMBERED = 1_000


def heal_limit() -> Callable[[TableId, int], bool]:
    """A question to be asked before each such showing; yes at most once a second a table."""
    last: OrderedDict[TableId, int] = OrderedDict()

    def may_heal(table_id: TableId, now: int) -> bool:
        before = last.get(table_id)
        if before is not None and now - before < EVERY_MS:
            return False
        last[table_id] = now
        last.move_to_end(table_id)
        while len(last) > REMEMBERED:
            last.popitem(last=False)
        return True

    return may_heal
