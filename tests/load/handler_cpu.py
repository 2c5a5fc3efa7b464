"""Processor time of a move in the real handler, against the floor under it.

The floor is the same strongly consistent read, conditional write and posts, made with the store's
and delivery's own clients, without chess and without protocol. Both take turns, so that whatever
else the machine does falls on both.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from pynamodb.expressions.operand import Path
from pynamodb.expressions.operand import Value as Operand
from pynamodb.expressions.update import SetAction

from shared.delivery.posts import ConnectionPosts
from shared.game.ids import ConnectionId
from shared.runtime import telemetry
from shared.store.models import STATE, TableRow, table_of
from tests.load.figures import figure, give, ratio
from tests.support.client import new_id
from tests.support.in_process import CACHES, Pair, Rig, running, seat_two
from tests.support.long_game import long_game
from tests.support.ministack import REGION, make_tables, running_ministack
from tests.support.recorded_events import saying

PLIES = 200
WARM_UP = 20


def main() -> None:
    """Handler and floor, a move each in turn."""
    with running_ministack() as endpoint, _elsewhere() as aws:
        os.environ.update(_environment(endpoint))
        with running(make_tables(endpoint)) as rig:
            pair, floor_pair = seat_two(rig), seat_two(rig)
            os.environ.update(aws)
            for cached in CACHES:
                cached.cache_clear()
            handler_ms, floor_ms = _take_turns(rig, pair, _floor(rig, floor_pair))
    handler = figure("processor time of a move in its handler", "ms", handler_ms)
    floor = figure("processor time of the read, write and posts alone", "ms", floor_ms)
    give([handler, floor, ratio("handler to floor (aim: at most 4)", handler, floor)])


def _take_turns(
    rig: Rig, pair: Pair, floor: Callable[[int], None]
) -> tuple[list[float], list[float]]:
    handler_ms, floor_ms = [], []
    for ply, uci in enumerate(long_game(PLIES)):
        rig.now += 2_000
        origin = pair.white if ply % 2 == 0 else pair.black
        head = {"table": pair.table, "game": 1, "ply": ply, "uci": uci}
        event = saying(origin, {"action": "move", "id": new_id()} | head, rig.now)
        handler_ms.append(_cpu_ms(partial(rig.call, "move", event)))
        floor_ms.append(_cpu_ms(partial(floor, ply)))
    _check(pair)
    return handler_ms[WARM_UP:], floor_ms[WARM_UP:]


def _check(pair: Pair) -> None:
    """Every move was accepted, or nothing was measured."""
    state = table_of(TableRow).get_item(pair.table, STATE, consistent_read=True)["Item"]
    if len(state["mv"]["B"]) != 2 * PLIES:
        raise RuntimeError("the game was not played to its end")


def _floor(rig: Rig, pair: Pair) -> Callable[[int], None]:
    """One read, one write of what a move changes, one post to each of the two."""
    posts = ConnectionPosts(None, telemetry.count)
    letters = {
        ConnectionId(origin.connection): rig.aws.posts[-1][1] for origin in (pair.white, pair.black)
    }

    def move(ply: int) -> None:
        rows = table_of(TableRow)
        item = rows.get_item(pair.table, STATE, consistent_read=True)["Item"]
        rev = int(item["rev"]["N"])
        changed: dict[str, Any] = {
            "rev": {"N": str(rev + 1)},
            "v": {"N": str(ply + 3)},
            "mv": {"B": bytes(2 * ply + 2)},
            "th": {"B": bytes(2 * ply + 2)},
            "cw": {"N": str(900_000 - ply)},
            "ct": {"N": str(rig.now)},
            "wh": {"N": str(rig.now)},
            "wr": {"B": bytes(16)},
            "fe": item["fe"],
        }
        actions = [SetAction(Path([name]), Operand(value)) for name, value in changed.items()]
        rows.update_item(pair.table, STATE, actions, TableRow.rev == rev)
        posts.post(letters)

    return move


def _cpu_ms(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return (time.process_time() - before) * 1000


def _environment(endpoint: str) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL_DYNAMODB": endpoint,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@contextmanager
def _elsewhere() -> Iterator[dict[str, str]]:
    """A tiny AWS in a process of its own, so that its work is not counted as ours."""
    command = [sys.executable, "-m", "tests.load.tiny_server"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("no pipes")
        url = process.stdout.readline().strip()
        yield {
            "AWS_ENDPOINT_URL_SQS": url,
            "AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI": f"{url}/live",
            "TIMER_QUEUE_URL": f"{url}/queue",
        }
        process.stdin.close()


if __name__ == "__main__":
    main()
