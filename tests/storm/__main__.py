"""`make storm GAMES=2000 SEED=3` (`python -m tests.storm 2000 3`): games while all goes wrong."""

import sys
import tempfile
from pathlib import Path

from tests.storm.report import lacking, stories, summary, text, too_many_excused
from tests.storm.storm import ground, storm

ENOUGH = 200


def main(number: int, seed: int) -> int:
    """0 where every game kept every promise, and everything that can go wrong did."""
    with tempfile.TemporaryDirectory() as folder, ground(Path(folder)) as stack:
        told = storm(stack, number, seed)
    print(text([*stories(told), *summary(told)]))
    missing = lacking(told) if number >= ENOUGH else []
    is_excuse = too_many_excused(told)
    print(text(f"never happened: {name}" for name in missing))
    print("Too many games ended on time." if is_excuse else "")
    return 1 if told.wrong or missing or is_excuse else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
