"""Processes that do something at the very same time, as two Lambdas would.

They are started once and kept: a process costs a second, a race a few milliseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from types import TracebackType
from typing import Self

from shared.service.ports import AlreadySeated, CodeClash, Conflict, ConnectionLost
from shared.store.models import TableNames, bind

LOSSES = (Conflict, AlreadySeated, CodeClash, ConnectionLost)
READY_S = 60
Job = Callable[[], object]


@dataclass(frozen=True)
class Finish:
    """How a contender fared: what its job returned, or which exception it lost by."""

    lost_by: type[Exception] | None = None
    returned: object = None
    bug: str = ""

    @property
    def has_won(self) -> bool:
        """Whether the job was done."""
        return self.lost_by is None


class Contenders:
    """Some processes, each bound to the same DynamoDB tables."""

    def __init__(self, names: TableNames, count: int) -> None:
        """Start them; they are ready when the block begins."""
        context = get_context("spawn")
        self._barriers = {size: context.Barrier(size) for size in range(1, count + 1)}
        self._pipes: list[Connection] = []
        self._processes = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_contend, args=(names, theirs, self._barriers))
            process.start()
            self._pipes.append(ours)
            self._processes.append(process)

    def __enter__(self) -> Self:
        """All of them ready."""
        for pipe in self._pipes:
            if not pipe.poll(READY_S):
                raise TimeoutError
            pipe.recv()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """All of them gone."""
        for pipe in self._pipes:
            pipe.send(None)
        for process in self._processes:
            process.join(READY_S)
            process.kill()

    def race(self, *jobs: Job) -> list[Finish]:
        """How each job fared, all of them started at once."""
        running = self._pipes[: len(jobs)]
        for pipe, job in zip(running, jobs, strict=True):
            pipe.send((len(jobs), job))
        finishes: list[Finish] = [pipe.recv() for pipe in running]
        bugs = [finish.bug for finish in finishes if finish.bug]
        if bugs:
            raise AssertionError("\n".join(bugs))
        return finishes


def _contend(names: TableNames, pipe: Connection, barriers: dict[int, Barrier]) -> None:
    bind(names)
    pipe.send("ready")
    while (asked := pipe.recv()) is not None:
        size, job = asked
        barriers[size].wait(READY_S)
        pipe.send(_finish(job))


def _finish(job: Job) -> Finish:
    try:
        return Finish(returned=job())
    except LOSSES as loss:
        return Finish(lost_by=type(loss))
    except Exception as bug:  # noqa: BLE001 - carried over to the test, which fails by it
        return Finish(bug=repr(bug))
