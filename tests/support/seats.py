"""Two players at a table, through the real use cases on a memory."""

from collections.abc import Callable
from typing import Any

import msgspec

from shared.game.actions import ACTIONS
from shared.game.ids import TableId
from shared.game.refusal import Refusal
from shared.game.table import Table
from shared.protocol.inbound import CreateTable, JoinTable
from shared.service.act import act
from shared.service.create import create
from shared.service.join import join
from shared.service.refuse import RefusedAt, refuse
from shared.service.world import World
from tests.support.fakes import Memory

ANNA, BEN = "anna-anna-anna-a", "ben-ben-ben-ben-"
A1, B1 = "A1=", "B1="


class Seats:
    """Anna (white) made a table, Ben joined it; what they say goes through the use cases."""

    def __init__(self, memory: Memory | None = None, **create_fields: Any) -> None:  # noqa: ANN401 - wire fields
        """The game live, nothing played."""
        self.memory = memory or Memory()
        self.world: World = self.memory.world()
        self._ids = 0
        self.memory.connect(ANNA, A1)
        self.memory.connect(BEN, B1)
        fields = {"colour": "white"} | create_fields
        message = msgspec.convert(
            {"action": "createTable", "id": self.new_id()} | fields, CreateTable
        )
        self.created_id = message.id
        create(self.world, self.memory.caller(ANNA, A1, message.id), message)
        self.table_id = TableId(str(self.memory.heard_by(A1)[-1]["table"]))
        self.code = str(self.memory.heard_by(A1)[-1]["view"]["code"])  # type: ignore[index]
        self.join(BEN, B1)

    @property
    def table(self) -> Table:
        """The table as stored."""
        return self.memory.tables[self.table_id]

    def new_id(self) -> str:
        """A new intention's id."""
        self._ids += 1
        return f"id{self._ids:014d}"

    def join(self, who: str, connection: str, **fields: Any) -> None:  # noqa: ANN401 - wire fields
        """Join by the code."""
        said = {"action": "joinTable", "id": self.new_id(), "code": self.code} | fields
        message = msgspec.convert(said, JoinTable)
        self.ask(join, who, connection, message)

    def act(self, who: str, action: str, connection: str | None = None, **fields: Any) -> str:  # noqa: ANN401 - wire fields
        """An in-game action at the present game and ply; returns its id."""
        said = {
            "action": action,
            "id": self.new_id(),
            "table": self.table_id,
            "game": self.table.game,
            "ply": self.table.ply,
        } | fields
        message = msgspec.convert(said, ACTIONS[action])
        default = A1 if who == ANNA else B1
        self.ask(act, who, connection or default, message)
        return message.id

    def play(self, *ucis: str) -> None:
        """Moves in turn, each a second after the last."""
        for uci in ucis:
            self.memory.now += 1_000
            mover = self.table.seat(self.table.on_move).player_id
            self.act(str(mover), "move", uci=uci)

    def ask(self, use_case: Callable[..., None], who: str, connection: str, message: Any) -> None:  # noqa: ANN401 - any message
        """As the wrapper does: refusals become answers."""
        caller = self.memory.caller(who, connection, message.id)
        try:
            use_case(self.world, caller, message)
        except RefusedAt as at:
            refuse(self.world, caller, at.refusal, at.table)
        except Refusal as refusal:
            refuse(self.world, caller, refusal)

    def last(self, connection: str) -> dict[str, Any]:
        """What a connection was told last."""
        return self.memory.heard_by(connection)[-1]
