"""Every way to ask for the time, and what must go on in real time."""

import asyncio
import datetime as dt
import queue
import time
import uuid
from datetime import UTC, date
from datetime import datetime as moment
from typing import Any

now = moment.now  # bound before any clock moved


def told() -> dict[str, Any]:
    """Return what each of them says, in epoch milliseconds, or as text in whole seconds."""
    epoch = moment(1970, 1, 1)  # noqa: DTZ001 - TZ is UTC on Lambda
    instants = {
        "time.time": time.time() * 1000,
        "time.time_ns": time.time_ns() / 1_000_000,
        "time.clock_gettime": time.clock_gettime(time.CLOCK_REALTIME) * 1000,
        "datetime.now": (now() - epoch).total_seconds() * 1000,
        "datetime.now(UTC)": now(UTC).timestamp() * 1000,
        "datetime.utcnow": (moment.utcnow() - epoch).total_seconds() * 1000,  # noqa: DTZ003
        "datetime.today": (dt.datetime.today() - epoch).total_seconds() * 1000,  # noqa: DTZ002
    }
    shape = "%Y-%m-%d %H:%M:%S"
    texts = {
        "time.gmtime": time.strftime(shape, time.gmtime()),
        "time.localtime": time.strftime(shape, time.localtime()),
        "time.strftime": time.strftime(shape),
        "time.ctime": moment.strptime(time.ctime(), "%c").strftime(shape),  # noqa: DTZ007
        "time.asctime": moment.strptime(time.asctime(), "%c").strftime(shape),  # noqa: DTZ007
    }
    return {
        "instants": {name: round(value) for name, value in instants.items()},
        "texts": texts,
        "today": date.today().isoformat(),  # noqa: DTZ011
        "uuid1": (uuid.uuid1().time - 0x01B21DD213814000) // 10_000,
        "waited": waited(),
    }


def waited() -> dict[str, float]:
    """Return how long each wait of 20 ms took by the monotonic clock."""
    waits = {
        "time.sleep": lambda: time.sleep(0.02),
        "queue": _empty,
        "asyncio": lambda: asyncio.run(asyncio.sleep(0.02)),
    }
    return {name: _measured(wait) for name, wait in waits.items()}


def _measured(wait: Any) -> float:  # noqa: ANN401 - returns whatever it likes
    started = time.monotonic()
    wait()
    return time.monotonic() - started


def _empty() -> None:
    try:
        queue.Queue[int]().get(timeout=0.02)
    except queue.Empty:
        return
