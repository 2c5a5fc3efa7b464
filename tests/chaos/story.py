"""What happens in a history, line by line, for whoever looks into it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from shared.game.ids import ConnectionId
from shared.game.table import Seat, Table
from shared.service.ports import TableWrite
from tests.chaos.device import Act, Device
from tests.chaos.lambdas import Lambdas
from tests.chaos.process import Call, Process
from tests.chaos.referee.referee import Referee
from tests.support.fakes import START


@contextmanager
def telling(tell: Callable[[str], Any]) -> Iterator[None]:
    """Everything is told as it happens."""

    def line(at: int, text: str) -> None:
        tell(f"{(at - START) / 1000:9.3f}  {text}")

    def started(referee: Referee, process: Process) -> None:
        cause = process.cause
        line(referee._agenda.now, f"{cause.key} begins  {cause.event.get('body', '')}")

    def done(referee: Referee, process: Process) -> None:
        how = "is killed" if process.is_killed else repr(process.failure or "ends")
        line(referee._agenda.now, f"{process.cause.key} {how}  {' '.join(process.faults)}")

    def wrote(referee: Referee, write: TableWrite) -> None:
        line(referee._agenda.now, f"    written: {_table(write.after)}")

    def posted(
        referee: Referee, process: Process, to: ConnectionId, payload: bytes, fault: str
    ) -> None:
        text = payload[:110].decode(errors="replace")
        line(referee._agenda.now, f"    {process.cause.key} to {to} {fault}: {text}")

    def suffered(device: Device, act: Act) -> None:
        line(device.agenda.now, f"{device.name}: {act}")

    def called(lambdas: Lambdas, process: Process, call: Call, fault: str) -> None:
        line(lambdas.agenda.now, f"    {process.cause.key} {call.name} {fault}")

    with pytest.MonkeyPatch.context() as patch:
        _first(patch, Referee, "started", started)
        _first(patch, Referee, "done", done)
        _first(patch, Referee, "wrote", wrote)
        _first(patch, Referee, "posted", posted)
        _first(patch, Device, "suffer", suffered)
        _first(patch, Lambdas, "let_through", called)
        yield


def _first(patch: pytest.MonkeyPatch, kind: type, name: str, tell: Callable[..., None]) -> None:
    """Before the method does its work it is told of."""
    real = getattr(kind, name)

    def both(*values: Any, **keys: Any) -> Any:  # noqa: ANN401 - whatever the method takes
        tell(*values, *keys.values())
        return real(*values, **keys)

    patch.setattr(kind, name, both)


def _table(table: Table) -> str:
    seats = f"white {_seat(table.white)} black {_seat(table.black)}"
    timer = "" if table.timer_at is None else f"timer {(table.timer_at - START) / 1000}"
    head = f"{table.table_id[:6]} rev {table.rev} v {table.v} game {table.game}"
    return f"{head} {table.status} ply {table.ply} {seats} {timer}"


def _seat(seat: Seat) -> str:
    since = "" if seat.away_since is None else f" away since {(seat.away_since - START) / 1000}"
    probed = "" if seat.probed_at is None else f" probed {(seat.probed_at - START) / 1000}"
    return f"{seat.player_id} ({' '.join(seat.connections)}){since}{probed}"
