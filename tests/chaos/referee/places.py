"""Where players sit, as they are told it: hello shows the right table, seats are really held."""

from shared.game.ids import PlayerId, TableId
from shared.service.ports import ConnectionKey, PlayerRecord
from tests.chaos.process import Process
from tests.chaos.referee.duties import Duty
from tests.chaos.referee.ledger import Ledger
from tests.chaos.referee.violation import hold
from tests.chaos.referee.words import GAME_ACTIONS, Letter
from tests.support.fakes import Memory

ATTACHING = {*GAME_ACTIONS, "sync", "hello"} - {"leaveTable"}


def check_letter(letter: Letter, duty: Duty, memory: Memory) -> None:
    """What a letter says about seats is so, or was when the process began."""
    message = letter.message
    if message["event"] == "hello":
        _check_hello(letter, duty, memory)
    elif message.get("code") == "seatHeld":
        held = _seats(letter.player, duty, memory)
        hold(held != {None}, "who is refused another seat holds one", player=letter.player)
    elif message.get("code") == "opponentLeft" and letter.ledger and letter.side:
        opponent = letter.ledger.table.seat(letter.side.other).player_id
        held = _seats(opponent, duty, memory) - {letter.ledger.table.table_id}
        hold(held - {None}, "an opponent who has left sits elsewhere", player=opponent)


def check_attached(
    process: Process, duty: Duty, ledgers: dict[str, Ledger], memory: Memory
) -> None:
    """Whoever says something at a table in play sits there with that connection."""
    if process.cause.action not in ATTACHING or process.conflicts:
        return
    player = memory.players.get(PlayerId(process.cause.player))
    key = ConnectionKey(PlayerId(process.cause.player), process.cause.connection)  # type: ignore[arg-type]
    is_same = player is not None and duty.players.get(key.player_id) == player
    if player is None or player.seat is None or not is_same or key in memory.buried:
        return
    if process.cause.action != "hello" and process.cause.table != player.seat:
        return
    seen = ledgers[player.seat].since(process.started_at)
    if any(table.side_of(key.player_id) is None for table in seen):
        return
    connections = [seat.connections for table in seen for seat in (table.white, table.black)]
    sits = any(key.connection_id in known for known in connections)
    hold(sits, "who says something sits with that connection", connection=key.connection_id)


def _check_hello(letter: Letter, duty: Duty, memory: Memory) -> None:
    before, now = duty.players.get(letter.player), memory.players.get(letter.player)
    shown = (letter.message.get("view") or {}).get("table")
    rights = {_place(before), _place(now)}
    hold(shown in rights or len(rights) > 1, "hello shows one's table", shown=shown, right=rights)


def _place(player: PlayerRecord | None) -> TableId | None:
    return None if player is None else player.seat or player.last_table


def _seats(player: PlayerId | None, duty: Duty, memory: Memory) -> set[TableId | None]:
    records = [players.get(player) for players in (duty.players, memory.players) if player]
    return {record.seat for record in records if record is not None} | {None}
