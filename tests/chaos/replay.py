"""A history from a file, lived again: `python -m tests.chaos.replay FILE [--story]`.

With `--story` everything that happens is told on the way.
"""

import sys
import traceback
from pathlib import Path

from tests.chaos.history import live_again
from tests.chaos.script import FOUND, KEPT, read
from tests.chaos.story import telling


def main(name: str, *, is_told: bool) -> int:
    """0 where the history keeps every promise."""
    path = next(path for path in (Path(name), KEPT / name, FOUND / name) if path.is_file())
    script = read(path)
    if is_told:
        with telling(print):
            told = live_again(script)
    else:
        told = live_again(script)
    if told.broken is None:
        print("every promise was kept")
        return 0
    if told.promise == type(told.broken).__name__:
        traceback.print_exception(told.broken)
    print(told.broken)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], is_told="--story" in sys.argv))
