"""The local system for tests: a child process on a free port, and the control API as methods.

`with Stack.start(template=..., state=tmp_path, test_clock=True) as stack:`. The methods block; in
a test whose own event loop answers sockets use their `_async` twins, which wait in a thread.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

ROOT: Final = Path(__file__).resolve().parents[2]
ANSWER_LIMIT_S: Final = 600.0
STOPPING_LIMIT_S: Final = 30.0
TOLD_OF_LOG: Final = 4000


class StackError(Exception):
    """The system did not start, or refused what was asked."""


@dataclass(slots=True)
class Stack:
    """A running local system."""

    url: str
    log: Path
    _process: subprocess.Popen[str]
    _resources: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def start(  # noqa: PLR0913  keywords, each with its default
        cls,
        *,
        template: Path,
        state: Path,
        static: Path | None = None,
        test_clock: bool = False,
        layers: Sequence[Path] = (),
        parameters: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
    ) -> Self:
        """Return a system that answers; `arguments` are passed on to `python -m infra.local`."""
        state.mkdir(parents=True, exist_ok=True)
        log = state / "gateway.log"
        options = [
            *("--port", "0", "--template", str(template), "--state", str(state)),
            *(("--static", str(static)) if static is not None else ()),
            *(("--test-clock",) if test_clock else ()),
            *(one for layer in layers for one in ("--layer", str(layer))),
            *(one for pair in (parameters or {}).items() for one in ("--param", "=".join(pair))),
            *arguments,
        ]
        with log.open("ab") as sink:
            process = subprocess.Popen(
                [sys.executable, "-m", "infra.local", *options],
                stdout=subprocess.PIPE,
                stderr=sink,
                stdin=subprocess.DEVNULL,
                text=True,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
        line = process.stdout.readline() if process.stdout is not None else ""
        if not line:
            status = process.wait()
            raise StackError(f"ended with status {status}: {_end_of(log)}")
        stack = cls(url=line.split()[-1], log=log, _process=process)
        stack._resources = stack.control("GET", "resources")
        return stack

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """The system has stopped cleanly and its state is saved; raises StackError otherwise."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            status = self._process.wait(STOPPING_LIMIT_S)
        finally:
            self._process.kill()
            if self._process.stdout is not None:
                self._process.stdout.close()
        if status != 0:
            raise StackError(f"ended with status {status}: {_end_of(self.log)}")

    # -- where things are --------------------------------------------------------------

    @property
    def pid(self) -> int:
        """The process of the gateway."""
        return self._process.pid

    @property
    def websocket_url(self) -> str:
        """Where clients connect, for the first stage of the template."""
        return f"{self.url.replace('http', 'ws', 1)}/{self._resources['stages'][0]}"

    @property
    def management_endpoint(self) -> str:
        """The endpoint of `@connections` for AWS clients."""
        return f"{self.url}/{self._resources['stages'][0]}"

    @property
    def dynamodb_endpoint(self) -> str:
        """The endpoint of DynamoDB for AWS clients; any credentials will do."""
        return str(self._resources["dynamodb"])

    @property
    def dynamodb_of_functions(self) -> str:
        """Where functions find DynamoDB: with mishaps, if a switch for them was named."""
        return str(self._resources["dynamodbOfFunctions"])

    @property
    def sqs_endpoint(self) -> str:
        """The endpoint of SQS for AWS clients."""
        return str(self._resources["sqs"])

    @property
    def lambda_endpoint(self) -> str:
        """The endpoint of Lambda for AWS clients."""
        return str(self._resources["lambda"])

    @property
    def region(self) -> str:
        """The region that AWS clients must name."""
        return str(self._resources["region"])

    def table_name(self, logical_id: str) -> str:
        """Return the name of a DynamoDB table of the template."""
        return str(self._resources["tables"][logical_id])

    def function_name(self, logical_id: str) -> str:
        """Return the name of a function of the template."""
        return str(self._resources["functions"][logical_id])

    def queue_url(self, logical_id: str) -> str:
        """Return the URL of a queue of the template."""
        return str(self._resources["queues"][logical_id])

    # -- the control API ---------------------------------------------------------------

    def now(self) -> int:
        """Return the instant of the system's clock (epoch milliseconds)."""
        return int(self.control("GET", "clock")["now"])

    def advance(self, span_ms: int, grace_ms: int = 0) -> int:
        """Let time pass, from one due event to the next; return the instant reached."""
        body = {"ms": span_ms, "graceMs": grace_ms}
        return int(self.control("POST", "clock/advance", body)["now"])

    def settle(self, grace_ms: int = 0) -> None:
        """Return when nothing is in flight, answers of clients included."""
        self.control("POST", "settle", {"graceMs": grace_ms})

    def cut(self, connection_id: str, how: str = "dead") -> None:
        """Break a connection: `dead` (unnoticed), `gone` (410, never told), `reset` (1006)."""
        self.control("POST", f"connections/{connection_id}/cut", {"as": how})

    def connections(self) -> list[dict[str, Any]]:
        """Return the open connections: id, stage, connectedAt, lastActiveAt, principalId."""
        return list(self.control("GET", "connections"))

    def set_faults(self, **faults: str | float) -> dict[str, Any]:
        """Set switches, `preset` and `seed`; return all. What is not named is as at the start.

        They are spelt as in Python: `stack.set_faults(queue_late=0.5, queue_late_ms=2000, seed=7)`.
        """
        body = {camel_case(name): value for name, value in faults.items()}
        return dict(self.control("PUT", "faults", body))

    def metrics(self) -> dict[str, Any]:
        """Return the counters since the start."""
        return dict(self.control("GET", "metrics"))

    async def advance_async(self, span_ms: int, grace_ms: int = 0) -> int:
        """As `advance`, while the caller's event loop goes on."""
        return await asyncio.to_thread(self.advance, span_ms, grace_ms)

    async def settle_async(self, grace_ms: int = 0) -> None:
        """As `settle`, while the caller's event loop goes on."""
        await asyncio.to_thread(self.settle, grace_ms)

    async def cut_async(self, connection_id: str, how: str = "dead") -> None:
        """As `cut`, while the caller's event loop goes on."""
        await asyncio.to_thread(self.cut, connection_id, how)

    def control(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401  JSON of many shapes
        """Return the JSON answer of the control API; raises StackError for a refusal."""
        request = urllib.request.Request(  # noqa: S310  our own address
            f"{self.url}/_local/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_LIMIT_S) as answer:  # noqa: S310  our own address
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise StackError(f"{path}: {error.read().decode()}") from None


def camel_case(name: str) -> str:
    """Return `queueLateMs` for `queue_late_ms`."""
    first, *rest = name.split("_")
    return first + "".join(one.capitalize() for one in rest)


def _end_of(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-TOLD_OF_LOG:].strip()
