"""An in-game action: gather, decide, apply, publish (DESIGN section 2)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from shared.game.actions.action import Asked, GameAction
from shared.game.decide import decide
from shared.game.events import Change, Repeat
from shared.game.ids import TableId
from shared.game.refusal import OpponentLeft, Refusal
from shared.game.table import Status, Table
from shared.protocol.errors import SeatHeld, TableNotFound
from shared.service.admit import admit
from shared.service.attach import attach_caller
from shared.service.commit import Along, commit
from shared.service.digest import digest
from shared.service.ports import AlreadySeated, ConnectionLost
from shared.service.publish import publish, show_again, show_everybody
from shared.service.refuse import RefusedAt
from shared.service.retry import retrying
from shared.service.world import Caller, World


def act(world: World, caller: Caller, action: GameAction) -> None:
    """The action carried out and told, or told again. Raises Refusal, RefusedAt."""
    if Status.OVER in action.allowed_in:
        admit(world, caller)
    attempt = _Attempt(world, caller, action)
    tell = retrying(world, attempt.run)
    tell()


@dataclass
class _Attempt:
    world: World
    caller: Caller
    action: GameAction
    has_tried: bool = False
    """Whether a write was begun: what is found done now may be our own, told to nobody."""

    def run(self) -> Callable[[], None]:
        """One gather, decide, apply; what is left to do is tell. Raises Conflict, Refusal."""
        table = self.world.tables.get(TableId(self.action.table))
        if table is None:
            raise TableNotFound
        now = max(self.world.now(), self.caller.received_at, table.clock.turn_at)
        attached = self._attach(table, now)
        if attached.event or attached.evicted:
            publish(self.world, attached, now)
        return self._decide(attached.table, now)

    def _attach(self, table: Table, now: int) -> Change:
        """At a table that is over only who asks for a rematch is attached: nobody sits there."""
        if table.status is Status.OVER and Status.OVER not in self.action.allowed_in:
            return Change(table)
        return attach_caller(self.world, table, self.caller, now)

    def _decide(self, table: Table, now: int) -> Callable[[], None]:
        try:
            decided = decide(table, self.action, self._asked(now))
            if isinstance(decided, Repeat):
                return lambda: self._repeat(table, decided, now)
            written = self._apply(table, decided, now)
        except Refusal as refusal:
            raise RefusedAt(refusal, table) from None
        return lambda: publish(self.world, written, now, self.caller)

    def _apply(self, table: Table, change: Change, now: int) -> Change:
        """The change written. Raises Conflict, OpponentLeft, SeatHeld."""
        self.has_tried = True
        try:
            return replace(change, table=self._commit(table, change.table, now))
        except AlreadySeated as seated:
            if seated.player_id == self.caller.player_id:
                raise SeatHeld from None
            raise OpponentLeft from None

    def _commit(self, before: Table, after: Table, now: int) -> Table:
        """The table written; with a rematch its connection is told this table again.

        It may have been at another in between, and its end would be told there.
        """
        resumes = before.status is Status.OVER and after.status is not Status.OVER
        if not resumes:
            return commit(self.world, before, after, now)
        try:
            return commit(self.world, before, after, now, Along(attaches=self.caller.key))
        except ConnectionLost:
            return commit(self.world, before, after, now)

    def _asked(self, now: int) -> Asked:
        caller = self.caller
        return Asked(
            caller.player_id,
            caller.connection_id,
            digest(self.action.id),
            caller.received_at,
            now,
            self.world.policy,
        )

    def _repeat(self, table: Table, repeat: Repeat, now: int) -> None:
        """Done before, or just now where only the answer to the write was lost."""
        if self.has_tried and repeat.v == table.v:
            show_everybody(self.world, table, now, self.caller)
        else:
            show_again(self.world, table, repeat.v, now, self.caller)
