"""Whether a game ended as planned, and everything is stored once: by hand, not by the code's rules.

Where a fault took so long that a player ran out of time, or was removed, the game is excused from
its plan, and from nothing else.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from shared.game.packing import unpack_thinks
from shared.game.rulesets import RULESETS
from tests.storm.copies import refused_copies
from tests.storm.freshness import lags
from tests.storm.game import Game
from tests.storm.kept import Kept
from tests.storm.plans import SIDES
from tests.support.client import Message
from tests.support.recorded_games import side_on_move
from tests.support.stored import Row

THINK_UNIT_MS: Final = 10
BY_TIME: Final = {"timeForfeit", "abandonment", "aborted"}
RESULTS: Final = {"white": "1-0", "black": "0-1", None: "1/2-1/2"}
NO_EVENTS: Final = {"hello", "created", "pong", "unchanged", "view", "probe", "replaced", "refused"}
"""What says how things stand; a table that was made is answered so whatever has happened since."""
REFUSALS: Final = {
    "busy",
    "gameOver",
    "noSuchOffer",
    "notLive",
    "offerStands",
    "seatHeld",
    "stalePly",
    "tooEarly",
    "tooLate",
}
"""What may be refused in a storm: what is already done, or was asked out of an old picture."""


@dataclass(slots=True)
class Judgement:
    """What is wrong with a game, and what excuses it from its plan."""

    wrong: list[str] = field(default_factory=list)
    excuse: str | None = None


def judge(game: Game, kept: Kept) -> Judgement:
    """The judgement on one game."""
    judgement = Judgement()
    if game.error is not None:
        judgement.wrong.append(game.error)
        return judgement
    state = kept.states.get(game.meeting.table or "")
    if state is None:
        judgement.wrong.append("no STATE")
        return judgement
    _judge_result(game, kept, state, judgement)
    for check in (_state(state), _clock(state), _views(game, state), _players(game, kept)):
        judgement.wrong += check
    for check in (_told(game), refused_copies(game), _fresh(game)):
        judgement.wrong += check
    return judgement


def _judge_result(game: Game, kept: Kept, state: Row, judgement: Judgement) -> None:
    plans = [plan for plan in (game.plan, game.plan.again) if plan is not None]
    if state["g"] != len(plans):
        judgement.wrong.append(f"{state['g']} games, not {len(plans)}")
    for number, plan in enumerate(plans, start=1):
        record = kept.records.get((str(game.meeting.table), number))
        found = _found(record, state if number == state["g"] else None)
        wanted = (plan.termination, plan.winner, plan.moves)
        if found == wanted:
            continue
        termination, _, moves = found
        is_short = moves == plan.moves[: len(moves)]
        if termination in BY_TIME and is_short and plan.last_word != "close":
            judgement.excuse = f"{termination} after {len(moves)} of {len(plan.moves)} plies"
        else:
            judgement.wrong.append(f"game {number}: {found}, not {wanted}")


def _found(record: Row | None, state: Row | None) -> tuple[str, str | None, tuple[str, ...]]:
    """How it ended, who won and what was played; by the record, or by STATE if it has no result."""
    if record is not None:
        if record["result"] != RESULTS[record.get("winner")]:
            return f"result {record['result']}", None, ()
        return record["termination"], record.get("winner"), _moves(record.get("moves"))
    if state is None or "oc" not in state:
        return "nothing", None, ()
    winner, termination, _ = state["oc"].split("/")
    if termination not in {"aborted", "closed"} or winner != "-":
        return f"no record of {termination}", None, ()
    return termination, None, _moves(state.get("mv"))


def _moves(packed: bytes | None) -> tuple[str, ...]:
    return tuple(RULESETS["standard"].ucis(packed or b""))


def _state(state: Row) -> Iterator[str]:
    if state["st"] != "o":
        yield f"STATE says {state['st']}"
    for name in ("due_at", "due_shard", "do", "wq", "bq", "wt", "bt"):
        if name in state:
            yield f"{name} is left in a STATE that is over"
    if "expires_at" not in state:
        yield "STATE is kept for ever"


def _clock(state: Row) -> Iterator[str]:
    """Think time + server time = wall time; what was thought is what was charged."""
    if "ct" not in state:
        return
    total_ms, _, increment_ms = (int(one or 0) for one in state["tc"].split("/"))
    moves, thinks = len(_moves(state.get("mv"))), unpack_thinks(state.get("th", b""))
    spent = {}
    for side, made in zip(SIDES, ((moves + 1) // 2, moves // 2), strict=True):
        spent[side] = total_ms + increment_ms * made - state[f"c{side[0]}"]
    wall_ms = state["ct"] - state.get("ga", state["si"])
    if sum(spent.values()) + state.get("sm", 0) != wall_ms:
        yield f"thought {spent}, served {state.get('sm', 0)}, and yet {wall_ms} ms went by"
    for first, side in enumerate(SIDES):
        thought = sum(thinks[first::2])
        is_on_move = side_on_move(moves) == side
        lost_ms, rounding_ms = spent[side] - thought, THINK_UNIT_MS * (moves // 2 + 1)
        if lost_ms < -rounding_ms or (not is_on_move and lost_ms > rounding_ms):
            yield f"{side} was charged {spent[side]} ms for {thought} ms"


def _views(game: Game, state: Row) -> Iterator[str]:
    for player in game.players:
        view = player.view
        if view is None or view["table"] != game.meeting.table:
            yield f"{player.name} does not see the table"
            continue
        outcome = view.get("outcome") or {}
        told = (
            f"{(outcome.get('winner') or '-')[0]}/{outcome.get('termination')}/{outcome.get('at')}"
        )
        if (view["v"], told, tuple(view.get("moves", ()))) != (
            state["v"],
            state["oc"],
            _moves(state.get("mv")),
        ):
            yield f"{player.name} sees {view['v']} {told}, not {state['v']} {state['oc']}"
        if view["status"] != "over":
            yield f"{player.name} sees no end"


def _told(game: Game) -> Iterator[str]:
    """Nobody is told two things of one `v`; what is refused is refused for a reason."""
    told: dict[int, Any] = {}
    for player in game.players:
        for message in player.device.news:
            if message["table"] != game.meeting.table:
                continue
            if message["event"] == "refused" and message["code"] not in REFUSALS:
                yield f"{player.name} was refused: {message['code']}"
            if message["event"] not in NO_EVENTS:
                what = _what(message)
                if told.setdefault(message["v"], what) != what:
                    yield f"v {message['v']} is {told[message['v']]} and {what}"


def _what(message: Message) -> tuple[Any, ...]:
    return tuple(message.get(name) for name in ("event", "by", "game", "ply", "uci"))


def _fresh(game: Game) -> Iterator[str]:
    for lag in lags(game):
        if lag.is_late:
            yield f"{lag.device} showed v {lag.v} only after {lag.undisturbed_s:.1f} s"


def _players(game: Game, kept: Kept) -> Iterator[str]:
    """Nobody sits any more; every result counted once for either, with one line each."""
    records = [row for key, row in kept.records.items() if key[0] == game.meeting.table]
    for player in game.players:
        row = kept.players.get(player.device.player, {})
        if "seat" in row:
            yield f"{player.name} still sits"
        if row.get("last_table") != game.meeting.table:
            yield f"{player.name} last sat at {row.get('last_table')}"
        wanted = _totals(records, player.device.player)
        found = {name: row.get(name, 0) for name in wanted}
        if found != wanted:
            yield f"{player.name} has {found}, not {wanted}"
        lines = kept.histories.get(player.device.player, [])
        if sorted(line["game"] for line in lines) != sorted(row["game"] for row in records):
            yield f"{player.name} has the history {lines}"


def _totals(records: list[Row], player: str) -> dict[str, int]:
    wins = [row.get("winner") and row[row["winner"]] == player for row in records]
    return {
        "games": len(records),
        "standard_won": wins.count(True),
        "standard_lost": wins.count(False),
        "standard_drawn": wins.count(None),
    }
