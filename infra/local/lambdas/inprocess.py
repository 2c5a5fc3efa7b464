"""Invokes functions in threads of this process, so that a debugger can stop inside a handler.

Each function takes one event at a time. Environment variables are the process's own: where two
functions want different values, the last one loaded wins and the difference is reported.
"""

import asyncio
import bdb
import json
import logging
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from infra.local.ids import uuid_text
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function
from infra.local.lambdas.handler import Handler, call, failure, hint
from infra.local.lambdas.invocation import Outcome, Patient, function_error
from infra.local.lambdas.lambda_context import LambdaContext
from infra.local.lambdas.loading import Loading
from infra.local.lambdas.nursery import Surroundings, environment
from infra.local.lambdas.occasions import occasion
from infra.local.lambdas.output import LogHandler, Output
from infra.local.lambdas.redirected import lead_here
from infra.local.logs import TERMINAL, Elapsed, note
from infra.local.metrics import Metrics
from infra.local.timing.travel import live_at

# What is logged by nobody's function.
LOCAL = Output("local", 2, TERMINAL, str(Path.cwd()))
SPEAKER: ContextVar[Output] = ContextVar("speaker", default=LOCAL)


@dataclass(slots=True)
class InProcess(Patient):
    """Functions as threads. There is no time limit: whoever debugs takes his time.

    What they print comes as it is, for a debugger's own words pass there too; what they log and
    raise is told as ever.
    """

    around: Surroundings
    metrics: Metrics
    _handlers: dict[str, Handler] = field(default_factory=dict)
    _outputs: dict[str, Output] = field(default_factory=dict)
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict)
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(32))
    _loading: Loading = field(init=False)

    def __post_init__(self) -> None:
        self._loading = Loading(self.around.layers)
        logging.getLogger().addHandler(LogHandler(SPEAKER.get))
        lead_here()
        _trace_threads()
        if self.around.clock is not None:
            live_at(self.around.clock)

    async def invoke(
        self, function: Function, event: Json, request_id: str | None = None
    ) -> Outcome:
        """Return the outcome of one event."""
        self.metrics.invocations[function.logical_id] += 1
        copied, named = json.loads(json.dumps(event)), request_id or uuid_text()
        async with self._turns.setdefault(function.logical_id, asyncio.Lock()):
            loop = asyncio.get_running_loop()
            with Elapsed(function.logical_id, lambda: occasion(event), named):
                message = await loop.run_in_executor(
                    self._threads, self._run, function, copied, named
                )
        answer = json.loads(message)
        if "error" not in answer:
            return Outcome(value=answer["value"])
        self.metrics.errors[function.logical_id] += 1
        return Outcome(error=function_error(answer["error"]))

    async def warm(self, functions: list[Function]) -> None:
        """Nothing is loaded beforehand: a breakpoint at import time should be hit when used."""

    async def reload(self) -> None:
        """Handlers are loaded anew, and the modules of layers that they import."""
        self._handlers.clear()
        self._loading.forget()

    async def stop(self) -> None:
        """Threads that still run are left to end with the process."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _run(self, function: Function, event: Json, request_id: str) -> bytes:
        output = self._output(function)
        output.request_id = request_id
        SPEAKER.set(output)
        about = {
            "name": function.name,
            "arn": function.arn,
            "memory_mb": function.memory_mb,
            "timeout_s": function.timeout_s,
        }
        try:
            handler = self._handlers.get(function.logical_id) or self._load(function)
            return call(handler, event, LambdaContext(about, request_id), output)
        except (Exception, SystemExit) as error:  # noqa: BLE001  what an import raises, or an end of the process, is the outcome
            hint(error, function.layered.unbuilt)
            return failure(error, output)

    def _output(self, function: Function) -> Output:
        name = function.logical_id
        if name not in self._outputs:
            self._outputs[name] = Output(name, 2, TERMINAL, str(Path.cwd()))
        return self._outputs[name]

    def _load(self, function: Function) -> Handler:
        wanted = environment(function, self.around)
        for name in sorted(set(function.variables) & set(os.environ)):
            if os.environ[name] != wanted[name]:
                note(function.logical_id, f"{name} differs between functions", "WARNING")
        os.environ.update(wanted)
        handler = self._loading.load(function.handler, function.code, function.layered.folders)
        self._handlers[function.logical_id] = handler
        return handler


def _trace_threads() -> None:
    """Let pdb's own breakpoints hold in threads too: by itself it traces the main one only."""
    tracer = sys.gettrace()
    if isinstance(getattr(tracer, "__self__", None), bdb.Bdb):
        threading.settrace(tracer)
