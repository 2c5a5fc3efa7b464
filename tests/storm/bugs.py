"""Deliberate bugs in what only a storm tries: stores, clients of AWS, time-outs, told and untold.

`python -m tests.storm.bugs [GAMES]` puts each into a copy of the source and storms it; each must be
noticed. It takes minutes.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.mutants import Mistake, copy_with

GAMES: Final = 100
COPIED: Final = (
    "template.yaml",
    "shared",
    "functions",
    "infra",
    "tests/__init__.py",
    "tests/chaos",
    "tests/data",
    "tests/storm",
    "tests/support",
)
BUGS: Final = (
    Mistake(
        "STATE is written whatever somebody else wrote meanwhile",
        "shared/store/tables.py",
        "is_unchanged = TableRow.rev == write.before.rev",
        "is_unchanged = TableRow.rev.exists()",
    ),
    Mistake(
        "a move whose write failed counts as written",
        "shared/store/tables.py",
        "        if has_lost or is_throttled(error.cause) or is_unsure(error.cause):\n",
        "        if is_throttled(error.cause) or is_unsure(error.cause):\n"
        "            return\n"
        "        if has_lost:\n",
    ),
    Mistake(
        "nobody remembers what he has just done",
        "shared/game/table.py",
        "return next((done.v for done in recent if done.digest == digest), None)",
        "return next((done.v for done in recent if done.digest == digest + b'!'), None)",
    ),
    Mistake(
        "a throttled transaction counts as done",
        "shared/store/transaction.py",
        "        if is_throttled(error.cause):\n            raise Conflict from error\n",
        "        if is_throttled(error.cause):\n            return\n",
    ),
    Mistake(
        "an ending keeps the seats",
        "shared/store/seats.py",
        "        PlayerRow.seat.remove(),\n",
        "",
    ),
    Mistake(
        "what a game counts for is added after its end is written, on its own",
        "shared/store/tables.py",
        "        commit([update(row, actions, is_unchanged, Conflict()), *along])\n",
        "        commit([update(row, actions, is_unchanged, Conflict()), *along])\n"
        "        for finished in [write.finished] if write.finished else []:\n"
        "            from shared.store.models import PlayerRow\n"
        "            for player in (finished.white, finished.black):\n"
        "                PlayerRow(player).update([PlayerRow.games.add(1)])\n",
    ),
    Mistake(
        "the sweep finds nothing",
        "shared/store/tables.py",
        "            for shard in DUE_SHARDS\n",
        "            for shard in DUE_SHARDS[:0]\n",
    ),
    Mistake(
        "whoever comes back is not attached to his seat",
        "shared/service/hello.py",
        "    change = attach_caller(world, table, caller, now)\n",
        "    change = Change(table)\n",
    ),
    Mistake(
        "a copy of what is done is told to who asked alone",
        "shared/service/publish.py",
        "    letters = _letters(table, caller, lambda side: _shown(world, table, side, now))\n"
        "    send(world, table, letters, caller)\n",
        "    show(world, table, now, caller)\n",
    ),
    Mistake(
        "a post that fails once stops the others",
        "shared/delivery/posts.py",
        '        self._count("postFailed", reason=code or str(status))\n'
        "        return Result.FAILED\n",
        "        raise error\n",
    ),
    Mistake(
        "a sync is answered as if nothing had changed",
        "shared/service/sync.py",
        "    if said.v == table.v:\n",
        "    if said.v <= table.v:\n",
    ),
)


def main(games: int) -> int:
    """How many were not noticed."""
    unnoticed = 0
    for bug in BUGS:
        is_noticed, why = _storm(bug, games)
        unnoticed += not is_noticed
        print("noticed" if is_noticed else "NOT NOTICED", bug.name, sep=": ")
        print(*why, sep="\n", flush=True)
    return unnoticed


def _storm(bug: Mistake, games: int) -> tuple[bool, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        copy_with(bug, COPIED, Path(folder))
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        run = subprocess.run(
            [sys.executable, "-m", "tests.storm", str(games), "1"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    return run.returncode == 1, list(_told(run.stdout + run.stderr))


def _told(output: str) -> Iterator[str]:
    """Why, in a few lines."""
    lines = [line for line in output.splitlines() if line.startswith(("--- game", "Too many"))]
    for line in [*lines[:3], *output.splitlines()[-1:]]:
        yield f"    {line[:240]}"


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else GAMES))
