"""What is said to whom: nothing that is not so, nothing that he may not know, every answer true."""

from dataclasses import dataclass
from typing import Any, Final

from shared.game.ids import PlayerId
from shared.game.rulesets import RULESETS
from shared.game.side import Side
from shared.game.table import Offer, Status, Table
from shared.service.digest import digest, table_id_for
from tests.chaos.gateway import Said, Socket
from tests.chaos.process import Process
from tests.chaos.referee.ledger import Ledger
from tests.chaos.referee.violation import Violation, hold

GAME_ACTIONS: Final = {
    "move",
    "resign",
    "abort",
    "offerDraw",
    "acceptDraw",
    "declineDraw",
    "claimFlag",
    "offerRematch",
    "acceptRematch",
    "declineRematch",
    "leaveTable",
}
NEVER: Final = {"malformed", "unknownAction", "unknownField", "tooLong", "badTimeControl"}
"""What a correct client is never told."""
MOST_CONFLICTS: Final = 4


@dataclass(frozen=True, slots=True)
class Letter:
    """One message to one connection, from one process."""

    message: Said
    payload: bytes
    process: Process
    socket: Socket
    ledger: Ledger | None
    """Of the table that the message is about."""

    @property
    def player(self) -> PlayerId:
        """To whom it goes."""
        return PlayerId(self.socket.end.player)

    @property
    def side(self) -> Side | None:
        """Where he sits at that table."""
        return self.ledger.table.side_of(self.player) if self.ledger else None


def check(letter: Letter, secrets: list[bytes], now: int) -> None:
    """The letter may be sent, and is true."""
    message, process = letter.message, letter.process
    if "re" in message:
        hold(letter.socket.connection_id == process.cause.connection, "re only to the asker")
        hold(message["re"] == process.cause.re, "re is the asker's own id")
    own = letter.player.encode()
    for secret in secrets:
        hold(secret not in letter.payload or secret == own, "nobody learns a name", secret=secret)
    if letter.ledger is not None:
        _check_table(letter, letter.ledger)
    if message["event"] == "refused":
        _check_refused(letter, now)
    elif "re" in message:
        _check_answer(letter)


def _check_table(letter: Letter, ledger: Ledger) -> None:
    message, table = letter.message, ledger.table
    is_asker = letter.socket.connection_id == letter.process.cause.connection
    hold(letter.side is not None or is_asker, "only viewers are told", to=letter.player)
    v = message.get("v")
    if v is not None:
        hold(v <= table.v, "nothing is told before it is stored", v=v, head=table.v)
    shown = message.get("view")
    if shown is not None:
        then = ledger.by_v.get(shown["v"])
        hold(then is not None and shown["v"] <= table.v, "a view is of a table as it was")
        if then is not None:
            compare(shown, then, letter.player)
    elif message["event"] == "moved":
        then = ledger.by_v[message["v"]]
        _compare_move(letter, then)


def compare(shown: dict[str, Any], table: Table, player: PlayerId) -> None:
    """The view is that table's, as the player may see it."""
    side = table.side_of(player)
    hold(shown.get("you") == side, "you are who you are", you=shown.get("you"), side=side)
    right = _facts(table)
    told = {name: shown.get(name) for name in right}
    told["moves"] = tuple(shown.get("moves") or ())
    told["drawOffer"] = shown.get("drawOffer") or None
    told["rematchOffer"] = shown.get("rematchOffer") or None
    told["outcome"] = shown.get("outcome") or None
    told["away"] = _away(shown)
    hold(told == right, "a view is true", told=told, right=right)
    _compare_clock(shown["clock"], table)
    _compare_legal(shown, table, side)
    if shown.get("code"):
        is_maker = table.status is Status.WAITING and side is not None
        hold(is_maker, "only a waiting maker sees the code")


def _away(shown: dict[str, Any]) -> dict[str, bool]:
    return {side: shown["seats"][side].get("away", False) for side in Side}


def _facts(table: Table) -> dict[str, Any]:
    ruleset = RULESETS[table.ruleset]
    outcome = table.outcome
    ended: dict[str, Any] | None = None
    if outcome is not None:
        ended = {
            "termination": outcome.termination,
            "result": outcome.result,
            "at": outcome.at,
        } | ({"winner": outcome.winner} if outcome.winner else {})
    return {
        "v": table.v,
        "game": table.game,
        "status": table.status,
        "ply": table.ply,
        "fen": ruleset.scene(table.position, None).fen,
        "moves": ruleset.ucis(table.moves),
        "drawOffer": _offer(table.draw_offer),
        "rematchOffer": _offer(table.rematch_offer),
        "outcome": ended,
        "away": {side: table.seat(side).is_away_told for side in Side},
    }


def _offer(offer: Offer | None) -> dict[str, Any] | None:
    return {"by": offer.side, "v": offer.v} if offer else None


def _compare_clock(shown: dict[str, Any], table: Table) -> None:
    if not table.began_at:
        return
    clock = table.clock
    right = (clock.white_ms, clock.black_ms, clock.turn_at)
    told = (shown.get("white"), shown.get("black"), shown["turnAt"])
    hold(told == right, "a clock is shown as it is", told=told, right=right)
    runs = table.status is Status.LIVE and table.time_control.has_clock
    hold(shown.get("runs") == (table.on_move if runs else None), "the running clock is shown")


def _compare_legal(shown: dict[str, Any], table: Table, side: Side | None) -> None:
    if shown.get("legal"):
        is_turn = table.status is Status.LIVE and side is table.on_move
        hold(is_turn, "legal moves only for who is on move", side=side)


def _compare_move(letter: Letter, then: Table) -> None:
    message = letter.message
    hold(message["game"] == then.game, "a move is of its game")
    hold(message["ply"] == then.ply - 1, "a move is of its ply", told=message["ply"], ply=then.ply)
    ucis = RULESETS[then.ruleset].ucis(then.moves)
    hold(message["uci"] == ucis[-1], "the move that was stored", told=message["uci"])
    _compare_clock(message["clock"], then)
    _compare_legal(message, then, then.side_of(letter.player))
    outcome = then.outcome.termination if then.outcome else None
    told = message.get("outcome", {}).get("termination")
    hold(told == outcome, "the end is told with the move", told=told, outcome=outcome)


def _check_answer(letter: Letter) -> None:
    action, re = letter.process.cause.action, letter.process.cause.re
    if action in GAME_ACTIONS:
        _check_done(letter)
    elif action == "createTable" and re is not None:
        right = table_id_for(letter.player, re)
        hold(letter.message["table"] == right, "a repeated create finds its own table")
    elif action == "joinTable":
        hold(letter.side is not None, "who has joined is seated")


def _check_done(letter: Letter) -> None:
    """An answer that is no refusal says that it was done."""
    ledger, re = letter.ledger, letter.process.cause.re
    if ledger is None or re is None:
        raise Violation("an action is answered with its table", message=letter.message)
    key = (letter.player, digest(re))
    hold(key in ledger.done, "what was acknowledged is stored", re=re, event=letter.message)


def _check_refused(letter: Letter, now: int) -> None:
    code, process = letter.message["code"], letter.process
    hold(code not in NEVER, "a correct client is understood", code=code)
    if code == "busy":
        enough = process.conflicts >= MOST_CONFLICTS
        hold(enough, "busy only after five attempts", conflicts=process.conflicts)
        return
    if letter.ledger is None:
        return
    table, re = letter.ledger.table, process.cause.re
    if re is not None and code != "connectionLost":
        fingerprint = digest(re)
        done_at, done_by = letter.ledger.done.get((letter.player, fingerprint), (None, None))
        is_known = table.done_v(letter.player, fingerprint) is not None
        is_copy = done_at is not None and done_at < process.started_at
        hold(
            not ((is_copy or done_by is process) and is_known),
            "every copy has the same answer",
            code=code,
            re=re,
            now=now,
        )
    if code == "tooLate":
        flag_at = letter.message["parameters"]["flagAt"]
        hold(process.cause.received_at >= flag_at, "in time by receipt", flag_at=flag_at)
    if code == "gameOver":
        hold(letter.ledger.over_at, "over means over")
