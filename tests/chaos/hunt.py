"""Histories until one breaks a promise: `python -m tests.chaos.hunt MOST [FIRST]`.

Says after how many, and which; leaves 0 if it found one. Run on a copy of the source with a
deliberate bug in it.
"""

import sys

from tests.chaos.history import live


def main(most: int, first: int) -> int:
    """0 where a history broke a promise."""
    for number in range(most):
        told = live(first + number)
        if told.broken is not None:
            print(f"{number + 1} {told.promise}")
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
