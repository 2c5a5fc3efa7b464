"""`python -m infra.local`: up, one line that says where, down on Ctrl-C or SIGTERM.

What is wrong is told in one line, with exit status 2.
"""

import asyncio
import signal
import sys
from collections.abc import Coroutine
from typing import Any

from infra.local.claims import CannotStart
from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.dynamodb.ministack import MiniStackError
from infra.local.logs import report
from infra.local.options import Options, read_options
from infra.local.system import System


def main() -> int:
    """Run until told to stop; return the exit status."""
    return asyncio.run(_run(read_options()))


async def _run(options: Options) -> int:
    told_to_stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told_to_stop.set)
    system = System(options)
    try:
        await system.start()
        print(_ready_line(options, system), flush=True)
        await _either(told_to_stop.wait(), system.broken())
    except (CannotStart, TemplateError, MiniStackError) as error:
        report(str(error))
        return 2
    finally:
        await system.stop()
    return 0


async def _either(*awaited: Coroutine[Any, Any, object]) -> None:
    """Return when the first of these is over, or raise what it raised."""
    tasks = [asyncio.ensure_future(one) for one in awaited]
    over, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for other in others:
        other.cancel()
    for task in over:
        await task


def _ready_line(options: Options, system: System) -> str:
    if options.name:
        return f"{options.name} is at {system.url}"
    if options.static is None and system.stage is not None:
        # No page will tell where the socket is.
        return f"Serving {system.url.replace('http', 'ws', 1)}/{system.stage} at {system.url}"
    return f"Serving at {system.url}"


if __name__ == "__main__":
    sys.exit(main())
