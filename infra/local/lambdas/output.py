"""What a function prints, logs and raises, as it is told at the terminal.

Knows which request a worker is at. Whole lines are told at once; what is written in one go is told
as one, so that processes do not talk into each other's tracebacks.
"""

import io
import logging
import os
from collections.abc import Callable
from typing import BinaryIO, Final

from infra.local.lambdas.log_records import Told, read
from infra.local.lambdas.traces import trace
from infra.local.logs import Terminal

UNWRITABLE: Final = "backslashreplace"


class Output(io.TextIOBase):
    """A text stream that tells whole lines on a descriptor, with the function's name."""

    encoding = "utf-8"
    errors = UNWRITABLE

    def __init__(self, name: str, descriptor: int, terminal: Terminal, start: str) -> None:
        super().__init__()
        self.name = name
        self.request_id: str | None = None
        self._terminal = terminal
        self._start = start
        self._sink = os.fdopen(os.dup(descriptor), "wb", buffering=0)
        self._unfinished = ""

    @property
    def buffer(self) -> BinaryIO:
        """The bytes under it, for whoever writes them himself."""
        return self._sink

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def fileno(self) -> int:
        """Return the descriptor under it, for faulthandler and children."""
        return self._sink.fileno()

    def write(self, text: str) -> int:
        """Take text; it is told when its line is whole."""
        self._unfinished += text
        if self._unfinished.endswith("\n"):
            self.finish()
        return len(text)

    def finish(self) -> None:
        """Tell what was written and not ended with a line break too."""
        text, self._unfinished = self._unfinished, ""
        block: list[str] = []
        for line in text.split("\n"):
            told = read(line)
            if told is not None and told.text == line.rstrip():
                block.append(line)
                continue
            self._say_block(block)
            if told is not None:
                self.say(told)
        self._say_block(block)

    def say(self, told: Told) -> None:
        """Tell something that is whole."""
        line = self._terminal.line(self.name, told.text, told.level, self.request_id)
        self._sink.write(f"{line}\n".encode(errors=UNWRITABLE))

    def say_error(self, error: BaseException, text: str = "", level: str = "ERROR") -> None:
        """Tell what a function raised, or what it logged of it."""
        self.say(Told("\n".join(filter(None, [text, trace(error, self._start)])), level))

    def _say_block(self, block: list[str]) -> None:
        if block:
            self.say(Told("\n".join(block)))
            block.clear()


class LogHandler(logging.Handler):
    """What Lambda's runtime puts on the root logger: without it `logging.info` is never seen."""

    def __init__(self, output: Callable[[], Output]) -> None:
        super().__init__()
        self._output = output

    def emit(self, record: logging.LogRecord) -> None:
        """Tell one record, and the exception it carries."""
        output, text = self._output(), record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            output.say_error(record.exc_info[1], text, record.levelname)
        else:
            output.say(Told(text, record.levelname))
