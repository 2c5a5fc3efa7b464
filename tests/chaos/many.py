"""Some histories in a row, in a process of their own.

What one leaves behind goes round in circles; it is collected now and then, not all the time.
"""

import gc
from collections import Counter

from tests.chaos.history import live

BATCH = 50
COLLECTED_EVERY = 25


def batch(first: int, number: int) -> tuple[Counter[str], list[int]]:
    """What the histories of these numbers count up to, and those that went wrong."""
    gc.disable()
    counts: Counter[str] = Counter()
    wrong = []
    for seed in range(first, first + number):
        told = live(seed)
        counts += told.counts
        counts["histories"] += 1
        if told.broken is not None:
            wrong.append(seed)
        if seed % COLLECTED_EVERY == 0:
            gc.collect()
    return counts, wrong
