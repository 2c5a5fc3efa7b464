"""Where workers come from: the gateway's side of the zygote, and what each worker is given.

Knows the environment of a Lambda function and where the local AWS endpoints are. The zygote is
started when first needed, and again should it ever end.
"""

import asyncio
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

from infra.local.cloudformation.intrinsics import Place
from infra.local.lambdas.functions import Function

LENGTH: Final = struct.Struct("!I")
ROOT: Final = Path(__file__).resolve().parents[3]
FROM_OUTSIDE: Final = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONDONTWRITEBYTECODE")
NO_ACCOUNT: Final = {
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every function finds around it: region, endpoints, layers, clock."""

    place: Place
    endpoints: Mapping[str, str]
    layers: tuple[Path, ...] = ()
    preload: tuple[str, ...] = ()
    clock: Path | None = None
    reloads: bool = False
    # For some functions, by logical id, other endpoints than everybody's.
    own_endpoints: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(slots=True)
class Nursery:
    """Orders workers from the zygote."""

    around: Surroundings
    _process: subprocess.Popen[bytes] | None = None
    _orders: socket.socket | None = None
    _numbers: Iterator[int] = field(default_factory=count)

    def start(self) -> None:
        """The zygote is being started, so that the first worker comes quickly."""
        ours, theirs = socket.socketpair()
        spec = {
            "clock": None if self.around.clock is None else str(self.around.clock),
            "preload": self.around.preload,
            "layers": [str(layer) for layer in self.around.layers],
            "reloads": self.around.reloads,
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "infra.local.lambdas.zygote", json.dumps(spec)],
            stdin=theirs.fileno(),
            env={**_outer(), **_terminal(), **NO_ACCOUNT, "PYTHONPATH": str(ROOT)},
            start_new_session=True,
        )
        theirs.close()
        self._orders = ours

    def spawn(self, function: Function, theirs: socket.socket) -> int:
        """Have a worker forked that talks over `theirs`; return the number to kill it by."""
        number = next(self._numbers)
        order = {"spawn": number, "spec": self._spec(function)}
        with theirs:
            self._order(order, [theirs.fileno()])
        return number

    def kill(self, number: int) -> None:
        """End a worker at once, whatever it is doing."""
        self._order({"kill": number}, [])

    async def stop(self) -> None:
        """End the zygote, and with it every worker."""
        if self._orders is not None:
            self._orders.close()
        if self._process is not None:
            await asyncio.to_thread(self._process.wait, 5)

    def _order(self, order: Mapping[str, Any], descriptors: list[int]) -> None:
        if self._process is None or self._process.poll() is not None:
            self.start()
        if self._orders is None:
            raise RuntimeError("the zygote was not started")
        message = json.dumps(order).encode()
        socket.send_fds(self._orders, [LENGTH.pack(len(message))], descriptors)
        self._orders.sendall(message)

    def _spec(self, function: Function) -> dict[str, Any]:
        return {
            "label": function.logical_id,
            "name": function.name,
            "arn": function.arn,
            "handler": function.handler,
            "timeout_s": function.timeout_s,
            "memory_mb": function.memory_mb,
            "code": str(function.code),
            "layers": [str(one) for one in (*self.around.layers, *function.layered.folders)],
            "unbuilt": function.layered.unbuilt,
            "environment": environment(function, self.around),
        }


def environment(function: Function, around: Surroundings) -> dict[str, str]:
    """Return the environment variables of a function, the local endpoints included."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return {
        **_outer(),
        "TZ": "UTC",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_REGION": around.place.region,
        "AWS_DEFAULT_REGION": around.place.region,
        **NO_ACCOUNT,
        "AWS_EXECUTION_ENV": f"AWS_Lambda_{version}",
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_mb),
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{function.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": "local",
        "LAMBDA_TASK_ROOT": str(function.code),
        "_HANDLER": function.handler,
        **function.variables,
        # Last: nothing a template says may lead to a real account.
        **around.endpoints,
        **around.own_endpoints.get(function.logical_id, {}),
    }


def _outer() -> dict[str, str]:
    return {name: os.environ[name] for name in FROM_OUTSIDE if name in os.environ}


def _terminal() -> dict[str, str]:
    """Return what lines look like here: not what functions find in their environment."""
    return {name: os.environ[name] for name in ("TZ", "NO_COLOR") if name in os.environ}
