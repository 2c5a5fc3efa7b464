"""`python -m tests.oracle FILE...` holds the product's own rules and clock against case files.

One line per file, then its first differences. Exits 1 on any difference, and on any file whose
format is unknown: what was not checked has not passed.
"""

import argparse
import sys
from pathlib import Path

from tests.oracle.report import check

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument(
        "--full", action="store_true", help="count every perft depth in the file (takes hours)"
    )
    arguments = parser.parse_args()
    reports = [check(path, is_full=arguments.full) for path in arguments.files]
    sys.exit(0 if all(reports) else 1)
