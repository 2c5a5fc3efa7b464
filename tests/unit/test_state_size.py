"""How large STATE gets: over real games, and over long legal ones, with everything else full.

DESIGN section 3: under 1,024 bytes through ply 120 and at most two write units to ply 360, four
connections a side, think times of 2 to 60 s.
"""

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shared.game.clock import Clock, TimeControl
from shared.game.ids import ConnectionId, PlayerId, TableId, Uci
from shared.game.packing import pack_think
from shared.game.rulesets import RULESETS
from shared.game.rulesets.ruleset import Played
from shared.game.seating import Sitter, Wishes, make_table, sit_down
from shared.game.side import Side
from shared.game.table import Done, Offer, Seat, Table
from shared.service.digest import DIGEST_BYTES
from shared.store.models import STATE
from shared.store.state_item import encode
from tests.support.item_size import item_size

GAMES = Path(__file__).parents[1] / "data" / "games_with_clocks.json"
NOW = 1_798_765_432_123
MEASURED_PLIES = (120, 200, 360)
RARELY = 0.1
TRIED = 8
"""How many of the legal moves are looked at for one that goes on quietly."""
STANDARD = RULESETS["standard"]
KEY = {"table_id": {"S": "t" * 16}, "part": {"S": STATE}}


def test_state_of_real_games_stays_within_its_bounds() -> None:
    games = json.loads(GAMES.read_text())

    largest = _largest_by_ply(
        table
        for number, game in enumerate(games)
        for table in _played(game["uci"].split(), random.Random(number))
    )

    _print("real games", largest)
    _assert_bounds(largest)


@pytest.mark.timeout(300)
def test_state_of_long_games_stays_within_its_bounds() -> None:
    largest = _largest_by_ply(
        table
        for seed in range(4)
        for table in _played(_long_game(random.Random(seed), 400), random.Random(seed))
    )

    _print("generated games", largest)
    assert max(largest) == 400
    _assert_bounds(largest)


def _assert_bounds(largest: dict[int, int]) -> None:
    assert all(size < 1_024 for ply, size in largest.items() if ply <= 120)
    assert all(size <= 2_048 for ply, size in largest.items() if ply <= 360)


def _print(what: str, largest: dict[int, int]) -> None:
    for measured in MEASURED_PLIES:
        sizes = [size for ply, size in largest.items() if ply <= measured]
        print(f"STATE of {what}, largest through ply {measured}: {max(sizes)} bytes")


def _largest_by_ply(tables: Iterable[Table]) -> dict[int, int]:
    largest: dict[int, int] = {}
    for table in tables:
        size = item_size(KEY | encode(_full(table)))
        largest[table.ply] = max(size, largest.get(table.ply, 0))
    return largest


def _played(line: Iterable[str], rng: random.Random) -> Iterator[Table]:
    """The table after each ply, thought about for 2 to 60 s."""
    table = _begun()
    for uci in line:
        played = STANDARD.play(table.position, uci)
        table = _after(table, played, pack_think(rng.randrange(2_000, 60_000)))
        yield table


def _long_game(rng: random.Random, plies: int) -> Iterator[str]:
    """A legal game that nothing ends; captures are rare, or the board is soon empty."""
    table = _begun()
    for _ in range(plies):
        legal = list(STANDARD.scene(table.position, table.on_move).legal)
        rng.shuffle(legal)
        going_on = [(uci, played) for uci, played in _tried(table, legal) if not played.ending]
        quiet = (one for one in going_on if "x" not in one[1].san or rng.random() < RARELY)
        uci, played = next(quiet, going_on[0])
        table = _after(table, played, b"\x00")
        yield uci


def _tried(table: Table, legal: list[Uci]) -> Iterator[tuple[Uci, Played]]:
    for uci in legal[:TRIED]:
        yield uci, STANDARD.play(table.position, uci)


def _after(table: Table, played: Played, think: bytes) -> Table:
    moved = replace(table, moves=table.moves + played.packed, thinks=table.thinks + think)
    if played.irreversible_fen is None:
        return moved
    return replace(moved, base_fen=played.irreversible_fen, base_ply=moved.ply)


def _begun() -> Table:
    control = TimeControl(total_ms=900_000, per_move_ms=60_000, increment_ms=12_345)
    makers = [Sitter(PlayerId(who * 16), ConnectionId(who * 15 + "="), b"") for who in "wb"]
    wishes = Wishes("standard", control, Side.WHITE)
    table_id = TableId("t" * 16)
    waiting = make_table(table_id, wishes, makers[0], STANDARD.start_fen(), NOW).table
    return sit_down(waiting, makers[1], NOW).table


def _full(table: Table) -> Table:
    """The table with everything that may stand in it at once, at its longest."""
    return replace(
        table,
        white=_full_seat("w", table.ply),
        black=_full_seat("b", table.ply),
        rev=98_765,
        v=87_654,
        game=98,
        clock=Clock(899_991, 899_993, NOW, 987_654),
        draw_offer=Offer(Side.WHITE, 87_653),
        timer_at=NOW,
    )


def _full_seat(letter: str, ply: int) -> Seat:
    return Seat(
        player_id=PlayerId(letter * 16),
        connections=tuple(ConnectionId(f"{letter * 14}{n}=") for n in range(4)),
        heard_at=NOW,
        probed_at=NOW,
        recent=(Done(b"d" * DIGEST_BYTES, 87_651), Done(b"e" * DIGEST_BYTES, 87_652)),
        declined_ply=ply or None,
    )
