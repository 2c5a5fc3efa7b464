"""What comes of invoking a function, and the port through which functions are invoked."""

from dataclasses import dataclass
from typing import Final, Protocol

from infra.local.json_values import Json
from infra.local.lambdas.functions import Function

TIMED_OUT: Final = "Sandbox.Timedout"
PROCESS_ENDED: Final = "Runtime.ExitError"
# What no process lived to tell.
TOLD_BY_NOBODY: Final = frozenset({TIMED_OUT, PROCESS_ENDED})


@dataclass(frozen=True, slots=True)
class FunctionError:
    """The function raised, timed out, could not be loaded, or its process ended.

    `stack` is what its runtime traced, one entry a frame, when it was the function that raised.
    """

    type: str
    message: str
    stack: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the function returned; nothing when there is an error."""

    value: Json = None
    error: FunctionError | None = None


class Patient:
    """Whoever invokes functions so is not to be hurried: somebody may be stopped inside one."""

    __slots__ = ()


class Invoker(Protocol):
    """Invokes functions."""

    async def invoke(
        self, function: Function, event: Json, request_id: str | None = None
    ) -> Outcome:
        """Return the outcome; never raises for what the function did.

        `request_id` is what the function sees as its own; a new one when nobody waits for it.
        """

    async def warm(self, functions: list[Function]) -> None:
        """Get the functions ready, the first ones first."""

    async def reload(self) -> None:
        """Forget loaded code: the next invocation loads what is on disk now."""

    async def stop(self) -> None:
        """End every process; nothing is invoked any more."""


def function_error(told: Json) -> FunctionError:
    """Return the error that a worker told of."""
    return FunctionError(told["type"], told["message"], tuple(told.get("stack", ())))


def timed_out(function: Function) -> Outcome:
    """Return the error of a function that ran longer than it may."""
    message = f"Task timed out after {function.timeout_s:.2f} seconds"
    return Outcome(error=FunctionError(TIMED_OUT, message))


def process_ended() -> Outcome:
    """Return the error of a function whose process ended while it ran."""
    return Outcome(error=FunctionError(PROCESS_ENDED, "the process of the function ended"))
