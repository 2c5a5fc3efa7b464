"""A table to play at in tests: who moves, when it was received, when it was written.

Instants are milliseconds since play began, so that a test reads like a score sheet. Everything
goes through the product's own doors: `decide`, `settle`, `attach`, `detach`.
"""

import hashlib
from dataclasses import dataclass, field, replace

import chess
import msgspec

from shared.game.actions.action import Asked, GameAction
from shared.game.actions.draw import AcceptDraw, OfferDraw
from shared.game.actions.move import Move
from shared.game.clock import TimeControl
from shared.game.decide import decide
from shared.game.events import Change, Event, Repeat
from shared.game.ids import ConnectionId, Fen, PlayerId, San, TableId, Uci
from shared.game.presence import attach, detach, hear
from shared.game.refusal import Refusal
from shared.game.rulesets import RULESETS
from shared.game.seating import Sitter, Wishes, make_table, sit_down
from shared.game.settle import settle
from shared.game.side import Side
from shared.game.table import Policy, Status, Table

BEGAN_AT = 1_800_000_000_000
"""The instant at which play begins at every table made here."""
TABLE_ID = TableId("table-of-tests-1")
WHITE_PLAYER = PlayerId("player-of-white1")
BLACK_PLAYER = PlayerId("player-of-black1")
STRANGER = PlayerId("some-stranger-01")
DEFAULT = TimeControl()
NO_MOVE_LIMIT = TimeControl(total_ms=600_000, per_move_ms=None)
UNTIMED = TimeControl(total_ms=None, per_move_ms=None)


def action_id(number: int) -> str:
    """An action id as clients make them, from a number."""
    return f"{number:016d}"


def digest_of(text: str) -> bytes:
    """The hash of an action's id."""
    return hashlib.sha256(text.encode()).digest()[:8]


def connection_of(side: Side) -> ConnectionId:
    """The one socket that a side starts with."""
    return ConnectionId(f"socket-{side}")


def live_table(control: TimeControl = DEFAULT, fen: str | None = None) -> Table:
    """A table in play since BEGAN_AT, both connected; with a FEN it is mid-game."""
    maker = Sitter(WHITE_PLAYER, connection_of(Side.WHITE), digest_of("made"))
    joiner = Sitter(BLACK_PLAYER, connection_of(Side.BLACK), digest_of("joined"))
    wishes = Wishes("standard", control, Side.WHITE)
    start = RULESETS["standard"].start_fen()
    waiting = make_table(TABLE_ID, wishes, maker, start, BEGAN_AT).table
    table = sit_down(waiting, joiner, BEGAN_AT).table
    return table if fen is None else set_up(table, fen)


def set_up(table: Table, fen: str) -> Table:
    """The table mid-game at a position: at least two plies count as played.

    What was played before is nobody's business, so the record holds two or three blank plies
    (as many as the side on move needs), and the position starts after them.
    """
    plies = 2 if fen.split()[1] == "w" else 3
    return replace(
        table, base_fen=Fen(fen), base_ply=plies, moves=bytes(2 * plies), thinks=bytes(plies)
    )


def rebuilt(table: Table) -> Table:
    """The table made anew from its fields, as a process that never saw it would read it."""
    fields = {name: getattr(table, name) for name in Table.__dataclass_fields__}
    return Table(**fields)


@dataclass(slots=True)
class Playing:
    """A table and the time at it, in milliseconds since play began."""

    table: Table
    policy: Policy = field(default_factory=Policy)
    at: int = 0
    sent: int = 0
    events: list[Event] = field(default_factory=list)

    @classmethod
    def start(cls, control: TimeControl = DEFAULT, fen: str | None = None) -> "Playing":
        """A game that begins now, or stands at a position."""
        return cls(live_table(control, fen))

    def asked(
        self, player: PlayerId, said: str, at: int | None = None, written: int | None = None
    ) -> Asked:
        """The circumstances of an action received `at` and decided at `written`."""
        received = self.at if at is None else at
        now = received if written is None else written
        return Asked(
            player,
            ConnectionId("any-socket"),
            digest_of(said),
            BEGAN_AT + received,
            max(BEGAN_AT + now, self.table.clock.turn_at),
            self.policy,
        )

    def act(
        self,
        side: Side,
        kind: type[GameAction],
        *,
        at: int | None = None,
        written: int | None = None,
        said: str | None = None,
        **fields: str | int | None,
    ) -> Change | Repeat:
        """What `decide` makes of the action; a change becomes the table. Raises Refusal."""
        self.sent += 1
        said = said or action_id(self.sent)
        player = self.table.seat(side).player_id
        if player is None:
            raise ValueError(side)
        known = {"game": self.table.game, "ply": self.table.ply}
        action = action_of(kind, said, **(known | fields))
        done = decide(self.table, action, self.asked(player, said, at, written))
        if isinstance(done, Change):
            self.take(done)
        self.at = max(self.at, at or 0, written or 0)
        return done

    def refused(
        self,
        side: Side,
        kind: type[GameAction],
        *,
        at: int | None = None,
        written: int | None = None,
        said: str | None = None,
        **fields: str | int | None,
    ) -> Refusal:
        """The refusal that the action earns; the table is as it was."""
        before = self.table
        try:
            done = self.act(side, kind, at=at, written=written, said=said, **fields)
        except Refusal as refusal:
            if self.table != before:
                raise AssertionError("refused, and yet changed") from refusal
            return refusal
        raise AssertionError(f"not refused: {done}")

    def move(self, uci: str, *, at: int | None = None, written: int | None = None) -> Change:
        """The move of the side on move."""
        done = self.act(self.table.on_move, Move, at=at, written=written, uci=uci)
        assert isinstance(done, Change)
        return done

    def play(self, line: str) -> "Playing":
        """The moves, one after the other, without a thought."""
        for uci in line.split():
            self.move(uci)
        return self

    def agree(self, offerer: Side, *, at: int | None = None) -> None:
        """A draw offered and accepted."""
        self.act(offerer, OfferDraw, at=at)
        self.act(offerer.other, AcceptDraw, at=at, v=self.table.v)

    def tick(self, at: int, *, silent: frozenset[Side] = frozenset()) -> list[Event]:
        """What falls due up to `at`, a step at a time; clients answer probes, unless silent."""
        seen: list[Event] = []
        self.at = max(self.at, at)
        while (change := settle(self.table, BEGAN_AT + at, self.policy)) is not None:
            self.take(change)
            if change.event is not None:
                seen.append(change.event)
            if change.probed:
                self._answer(at, silent)
        return seen

    def leave(self, side: Side, at: int) -> Change | None:
        """All sockets of the side gone at that instant."""
        change = detach(self.table, side, self.table.seat(side).connections, BEGAN_AT + at)
        if change is not None:
            self.take(change)
        return change

    def come(self, side: Side, at: int, socket: str = "new-socket") -> Change:
        """A socket of the side attached at that instant."""
        change = attach(self.table, side, ConnectionId(socket), BEGAN_AT + at)
        self.take(change)
        return change

    def take(self, change: Change) -> None:
        """The change becomes the table; every write counts."""
        self.table = replace(change.table, rev=self.table.rev + 1)
        if change.event is not None:
            self.events.append(change.event)

    @property
    def fen(self) -> str:
        """The position as everybody sees it."""
        return RULESETS[self.table.ruleset].scene(self.table.position, None).fen

    @property
    def legal(self) -> tuple[Uci, ...]:
        """The moves of the side on move."""
        ruleset = RULESETS[self.table.ruleset]
        return ruleset.scene(self.table.position, self.table.on_move).legal

    @property
    def sans(self) -> list[San]:
        """The moves played here, as people write them."""
        return [event.san for event in self.events if event.san is not None]

    @property
    def ending(self) -> tuple[str, str] | None:
        """Termination and result, once it is over."""
        outcome = self.table.outcome
        return (outcome.termination.value, outcome.result) if outcome else None

    @property
    def ended_at(self) -> int:
        """The instant that the outcome is dated, since play began."""
        if self.table.outcome is None:
            raise AssertionError("the game goes on")
        return self.table.outcome.at - BEGAN_AT

    @property
    def clocks(self) -> tuple[int | None, int | None]:
        """What White and Black have left."""
        return self.table.clock.white_ms, self.table.clock.black_ms

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.table.status is Status.OVER

    def _answer(self, at: int, silent: frozenset[Side]) -> None:
        for side in Side:
            seat = self.table.seat(side)
            if seat.probed_at is not None and side not in silent:
                self.table = self.table.with_seat(side, hear(seat, BEGAN_AT + at))


def action_of(kind: type[GameAction], said: str, **fields: str | int | None) -> GameAction:
    """The action as it comes off the wire. Raises msgspec.ValidationError."""
    tag = kind.__struct_config__.tag
    message = {"action": tag, "id": said, "table": TABLE_ID} | fields
    return msgspec.convert(message, kind)


def mirrored(fen: str) -> str:
    """The same position with the colours exchanged."""
    return chess.Board(fen).mirror().fen()


def mirrored_line(line: str) -> str:
    """The same moves on the other side of the board."""
    return line.translate(str.maketrans("12345678", "87654321"))
