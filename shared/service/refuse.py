"""How a refusal is answered: its code, its parameters, words, and where it helps the table."""

from shared.game.refusal import Refusal
from shared.game.table import Table
from shared.protocol.notices import notice
from shared.protocol.outbound import Refused
from shared.service.publish import answer, own_view
from shared.service.world import Caller, World


class RefusedAt(Exception):
    """A refusal, and the table that the asker should see with it."""

    def __init__(self, refusal: Refusal, table: Table) -> None:
        """Keep both."""
        super().__init__(refusal.code)
        self.refusal = refusal
        self.table = table


def refuse(world: World, caller: Caller, refusal: Refusal, table: Table | None = None) -> None:
    """The refusal told to the connection that asked."""
    answer(world, caller, _refused(world, caller, refusal, table), table)


def _refused(world: World, caller: Caller, refusal: Refusal, table: Table | None) -> Refused:
    shown = None
    side = table.side_of(caller.player_id) if table else None
    if table is not None and side is not None and refusal.shows_table:
        shown = own_view(world, table, side, max(world.now(), caller.received_at))
    return Refused(
        re=caller.re,
        code=refusal.code,
        notice=notice(caller.language, refusal.code, refusal.parameters),
        parameters=refusal.parameters,
        table=table.table_id if table and side else None,
        v=table.v if table and side else None,
        view=shown,
    )
