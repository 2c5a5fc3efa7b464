"""Runs a module until the pipe on standard input ends, then ends itself with SIGTERM.

So a child stops cleanly even when its parent was killed and could not tell it to.
"""

import os
import runpy
import signal
import sys
import threading


def main() -> None:
    """Run the module named by the first argument as a program."""
    module = sys.argv.pop(1)
    threading.Thread(target=_end_with_the_pipe, daemon=True).start()
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _end_with_the_pipe() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
