"""Many histories, and what came of them: `make chaos N=10000 SEED=1` (`python -m tests.chaos`).

Prints how often each fault, each ending and each function occurred. A history that breaks a
promise is made as small as can be, and written to .local/chaos/ as a script that replays.
"""

import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import cpu_count, get_context

from tests.chaos.coverage import missing
from tests.chaos.history import live
from tests.chaos.many import BATCH, batch
from tests.chaos.script import write
from tests.chaos.shrink import shrink

ENOUGH = 5_000
"""In so many histories everything that can happen has to happen."""


def main(number: int, first: int) -> int:
    """0 where every history kept every promise, and everything that can happen did."""
    began = time.monotonic()
    counts: Counter[str] = Counter()
    wrong: list[int] = []
    starts = range(first, first + number, BATCH)
    sizes = [min(BATCH, first + number - start) for start in starts]
    with ProcessPoolExecutor(cpu_count(), get_context("spawn")) as pool:
        for counted, failed in pool.map(batch, starts, sizes):
            counts += counted
            wrong += failed
    seconds = time.monotonic() - began
    for name in sorted(counts):
        print(f"{counts[name]:10}  {name}")
    print(f"{number} histories in {seconds:.0f} s, {number / seconds:.0f} a second")
    lacking = missing(counts) if number >= ENOUGH else []
    for name in lacking:
        print(f"never happened: {name}")
    for seed in wrong[:5]:
        _explain(seed)
    if wrong:
        print(f"{len(wrong)} histories broke a promise: {wrong[:50]}")
    return 1 if wrong or lacking else 0


def _explain(seed: int) -> None:
    told = shrink(live(seed))
    path = write(told)
    print(f"history {seed} broke a promise\n  {told.broken}"[:2_000])
    print(f"  python -m tests.chaos.replay {path} --story")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
