"""Functions that do as they are told, on a test clock: for what happens without a client."""

from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from infra.local.cloudformation.intrinsics import Place
from infra.local.cloudformation.template import Template, load
from infra.local.lambdas.functions import Function, Functions
from infra.local.lambdas.invocation import FunctionError, Outcome
from infra.local.metrics import Metrics
from infra.local.sources.deliveries import Tools
from infra.local.timing.agenda import Agenda
from infra.local.timing.clock import TestClock
from infra.local.timing.quiet import Quiet

START: Final = 1_800_000_000_000  # 2027-01-15T08:00:00Z
FAILED: Final = Outcome(error=FunctionError("ValueError", "it broke", ('  File "app.py"\n',)))


@dataclass(frozen=True, slots=True)
class Run:
    """One invocation: when since the start, and how much was in flight then."""

    function: str
    event: Any
    request_id: str | None
    after_ms: int
    in_flight: int = 0


@dataclass(slots=True)
class ObedientFunctions:
    """An invoker: each invocation takes the next outcome, in the end they all succeed."""

    clock: TestClock
    quiet: Quiet
    outcomes: deque[Outcome] = field(default_factory=deque)
    runs: list[Run] = field(default_factory=list)

    async def invoke(
        self,
        function: Function,
        event: Any,  # noqa: ANN401 - as the port has it
        request_id: str | None = None,
    ) -> Outcome:
        after_ms = self.clock.now() - START
        run = Run(function.logical_id, event, request_id, after_ms, self.quiet.count)
        self.runs.append(run)
        return self.outcomes.popleft() if self.outcomes else Outcome(value={"done": True})

    async def warm(self, functions: list[Function]) -> None:
        """Nothing is to be warmed."""

    async def reload(self) -> None:
        """Nothing is loaded."""

    async def stop(self) -> None:
        """Nothing runs."""


class Bench:
    """A clock, an agenda and functions."""

    def __init__(self, folder: Path) -> None:
        self.clock = TestClock(folder / "clock", START)
        self.quiet = Quiet()
        self.agenda = Agenda(self.clock, self.quiet)
        self.functions = ObedientFunctions(self.clock, self.quiet)
        self.tools = Tools(self.agenda, self.quiet, self.functions, Metrics(), Place())

    @property
    def runs(self) -> list[Run]:
        return self.functions.runs

    async def advance(self, seconds: float) -> None:
        await self.agenda.advance(self.clock, round(seconds * 1000))


def function(logical_id: str = "Bell") -> Function:
    arn = f"arn:aws:lambda:us-east-1:000000000000:function:local-{logical_id}"
    return Function(logical_id, f"local-{logical_id}", arn, "app.ring", Path(), 3, 128, {})


def functions(*logical_ids: str) -> Functions:
    return Functions({one: function(one) for one in logical_ids or ("Bell",)})


def read(folder: Path, resources: str, bell: str = "") -> Template:
    """Return a template of these resources, and of the function `Bell`; `bell` adds to it."""
    path = folder / "template.yaml"
    path.write_text(
        "Transform: AWS::Serverless-2016-10-31\nResources:\n"
        "  Bell: {Type: AWS::Lambda::Function, Properties: {Runtime: python3.13, Code: .,"
        f" Handler: app.ring, Role: r{bell}}}}}\n{resources}"
    )
    return load(path, Place(), "http://127.0.0.1:1", {})
