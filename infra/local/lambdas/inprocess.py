"""Invokes functions in threads of this process, so that a debugger can stop inside a handler.

Each function takes one event at a time. Environment variables are the process's own: where two
functions want different values, the last one loaded wins and the difference is reported.
"""

import asyncio
import importlib.util
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import ModuleType

from infra.local.ids import uuid_text
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function
from infra.local.lambdas.handler import Handler, call, failure
from infra.local.lambdas.invocation import Outcome, function_error
from infra.local.lambdas.lambda_context import LambdaContext
from infra.local.lambdas.nursery import Surroundings, environment
from infra.local.logs import report
from infra.local.metrics import Metrics
from infra.local.timing.travel import live_at


@dataclass(slots=True)
class InProcess:
    """Functions as threads. There is no time limit: whoever debugs takes his time."""

    around: Surroundings
    metrics: Metrics
    _handlers: dict[str, Handler] = field(default_factory=dict)
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict)
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(32))

    def __post_init__(self) -> None:
        sys.path[:0] = [str(layer) for layer in self.around.layers]
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
            message = await loop.run_in_executor(self._threads, self._run, function, copied, named)
        answer = json.loads(message)
        if "error" not in answer:
            return Outcome(value=answer["value"])
        self.metrics.errors[function.logical_id] += 1
        return Outcome(error=function_error(answer["error"]))

    async def warm(self, functions: list[Function]) -> None:
        """Nothing is loaded beforehand: a breakpoint at import time should be hit when used."""

    async def reload(self) -> None:
        """Handlers are loaded anew; the layers they import stay as they are."""
        self._handlers.clear()

    async def stop(self) -> None:
        """Threads that still run are left to end with the process."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _run(self, function: Function, event: Json, request_id: str) -> bytes:
        try:
            handler = self._handlers.get(function.logical_id) or self._load(function)
        except Exception as error:  # noqa: BLE001  whatever an import raises is the outcome
            return failure(error)
        about = {
            "name": function.name,
            "arn": function.arn,
            "memory_mb": function.memory_mb,
            "timeout_s": function.timeout_s,
        }
        return call(handler, event, LambdaContext(about, request_id))

    def _load(self, function: Function) -> Handler:
        wanted = environment(function, self.around)
        for name in sorted(set(function.variables) & set(os.environ)):
            if os.environ[name] != wanted[name]:
                report(f"{function.logical_id}: {name} differs between functions")
        os.environ.update(wanted)
        module, _, name = function.handler.rpartition(".")
        handler: Handler = getattr(_module(function, module), name)
        self._handlers[function.logical_id] = handler
        return handler


def _module(function: Function, name: str) -> ModuleType:
    # Many functions have an app.py: each is loaded under a name of its own.
    path = function.code / f"{name.replace('.', '/')}.py"
    sys.path[:0] = [str(function.code)]
    spec = importlib.util.spec_from_file_location(f"local_{function.logical_id}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"no module {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
