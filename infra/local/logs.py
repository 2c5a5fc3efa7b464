"""How lines look at the terminal: when, who, for which request, how grave, what.

Functions print, log and fail in processes of their own; every one of them, and the gateway, tells
it through here, so that it reads alike. Coloured only where a person looks at it.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Self

MS: Final = 1000
NS_PER_MS: Final = 1_000_000
GRAVE: Final = {"CRITICAL": "1;31", "ERROR": "31", "WARNING": "33", "DEBUG": "2"}
FAINT: Final = "2"
NAME: Final = "36"
SHOWN_OF_AN_ID: Final = 8
INDENT: Final = "    "


@dataclass(slots=True)
class Terminal:
    """Whose clock the lines tell, in which time zone, and whether in colours."""

    now_ms: Callable[[], int]
    offset_s: int
    is_coloured: bool
    is_verbose: bool = False

    def follow(self, now_ms: Callable[[], int], *, is_verbose: bool) -> None:
        """Tell the time of this clock from now on, and everything if that is wanted."""
        self.now_ms = now_ms
        self.is_verbose = is_verbose

    def line(self, who: str, text: str, level: str = "", request_id: str | None = None) -> str:
        """Return one line; what follows a line break is indented under it."""
        first, *rest = text.split("\n")
        about = f"[{request_id[:SHOWN_OF_AN_ID]}]" if request_id else ""
        parts = [
            self._painted(FAINT, self._time()),
            self._painted(NAME, who) + self._painted(FAINT, about),
            self._painted(GRAVE.get(level, ""), level),
            first,
        ]
        told = " ".join(part for part in parts if part)
        return "\n".join([told, *(f"{INDENT}{one}" for one in rest)])

    def _time(self) -> str:
        seconds, ms = divmod(self.now_ms(), MS)
        return f"{time.strftime('%H:%M:%S', time.gmtime(seconds + self.offset_s))}.{ms:03d}"

    def _painted(self, colour: str, text: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self.is_coloured and colour and text else text


def is_coloured() -> bool:
    """Say whether a person looks at stderr, and likes colours."""
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ


TERMINAL: Final = Terminal(
    lambda: time.time_ns() // NS_PER_MS, time.localtime().tm_gmtoff, is_coloured()
)


def report(line: str) -> None:
    """Tell the person at the terminal one thing, as it stands: before anything runs."""
    print(line, file=sys.stderr, flush=True)


def note(who: str, text: str, level: str = "", request_id: str | None = None) -> None:
    """Tell the person at the terminal what happens while it runs."""
    report(TERMINAL.line(who, text, level, request_id))


class Elapsed:
    """Tells how long something took, to whoever wants to know everything (`--verbose`)."""

    def __init__(self, who: str, what: Callable[[], str], request_id: str) -> None:
        self._who, self._what, self._request_id = who, what, request_id
        self._started = time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if TERMINAL.is_verbose:
            took_ms = (time.perf_counter() - self._started) * MS
            note(self._who, f"{self._what()}: {took_ms:.1f} ms", "DEBUG", self._request_id)
