"""The referee: sees every write, every letter and every process, and holds them to the promises."""

from collections import Counter
from typing import Final

import msgspec

from shared.game.ids import ConnectionId, PlayerId, TableId
from shared.game.refusal import Refusal
from shared.game.table import Seat, Status, Table
from shared.service.ports import ConnectionKey, NewTable, TableWrite
from tests.chaos.agenda import Agenda
from tests.chaos.config import Config
from tests.chaos.device import Device
from tests.chaos.gateway import Said, Socket
from tests.chaos.handlers import Current
from tests.chaos.process import Process
from tests.chaos.referee import (
    clocks,
    duties,
    endings,
    growth,
    places,
    refusals,
    seats,
    timers,
    words,
)
from tests.chaos.referee.duties import Duty
from tests.chaos.referee.freshness import Freshness
from tests.chaos.referee.ledger import Ledger, Written
from tests.chaos.referee.punctuality import Punctuality
from tests.chaos.referee.violation import hold
from tests.chaos.weather import USUAL_QUEUE_MS
from tests.support.fakes import Memory

SLOW_MS: Final = 1_000
"""A message that takes longer to be dealt with counts as disturbed."""


class Referee:
    """Everything is reported here; whatever breaks a promise raises Violation."""

    def __init__(
        self,
        *,
        agenda: Agenda,
        config: Config,
        memory: Memory,
        devices: dict[str, Device],
        sockets: dict[ConnectionId, Socket],
        counts: Counter[str],
    ) -> None:
        self._agenda = agenda
        self._policy = config.policy
        self._memory = memory
        self._devices = devices
        self._sockets = sockets
        self._counts = counts
        self._books: dict[str, Ledger] = {}
        self._freshness = Freshness(agenda, devices, self._books)
        self._names = [device.player.encode() for device in devices.values()]
        self._decoded: dict[bytes, Said] = {}
        self._duties: dict[Process, Duty] = {}
        self._buriers: dict[ConnectionId, Process] = {}
        self.punctuality = Punctuality(agenda, lambda: self._duties)

    # ---- writes

    def made(self, new: NewTable) -> None:
        """A table was made."""
        table = new.table
        hold(table.table_id not in self._books, "a table is made once", table=table.table_id)
        ledger = self._books[table.table_id] = Ledger(table)
        player = new.maker.player_id
        process = self._process()
        done = {(player, done.digest): (self._agenda.now, process) for done in _seat(table).recent}
        ledger.done |= done
        hold(self._memory.players[player].seat == table.table_id, "the maker holds his seat")
        hold(new.maker in self._memory.alive, "only a living connection is seated")
        hold(table.timer_at is not None, "a table is made with a timer")
        self._duties[process].armed.add(table.timer_at or 0)
        self._note(ledger, table)

    def wrote(self, write: TableWrite) -> None:
        """A table was written."""
        ledger = self._books[write.after.table_id]
        w = Written(
            write,
            write.before,
            write.after,
            self._process(),
            self._agenda.now,
            self._policy,
            self._memory,
            ledger,
        )
        growth.check(w)
        clocks.check(w)
        endings.check(w)
        seats.check(w, self._sockets)
        timers.check(w)
        duties.note_write(self._duties[w.process], w)
        if w.ends and w.after.outcome is not None:
            self._counts[f"ending {w.after.outcome.termination}"] += 1
        self._count_change(w)
        self._note(ledger, write.after)

    def _count_change(self, w: Written) -> None:
        if w.after.status is not w.before.status:
            self._counts[f"status {w.before.status} to {w.after.status}"] += 1
        if w.after.game != w.before.game:
            self._counts["event rematched"] += 1
        for _, was, now in w.seats():
            if now.is_away_told != was.is_away_told and w.after.status is Status.LIVE:
                self._counts["event away" if now.is_away_told else "event back"] += 1
            if now.probed_at is not None and was.probed_at is None:
                self._counts["event probed"] += 1
        if self._duties[w.process].evicted:
            self._counts["event evicted"] += 1

    def _note(self, ledger: Ledger, table: Table) -> None:
        is_new = table.v not in ledger.written_at
        ledger.table = ledger.by_v[table.v] = table
        ledger.versions.append((self._agenda.now, table))
        if is_new:
            ledger.written_at[table.v] = self._agenda.now
            self._freshness.written(ledger)
        self.punctuality.watch(ledger, self._process())

    # ---- letters

    def posted(
        self, process: Process, connection_id: ConnectionId, payload: bytes, fault: str
    ) -> Said:
        """The message that a letter holds; it may be lost after all."""
        message = self._decoded.get(payload)
        if message is None:
            message = self._decoded[payload] = msgspec.json.decode(payload)
        table_id = message.get("table") or (message.get("view") or {}).get("table")
        socket = self._sockets[connection_id]
        letter = words.Letter(message, payload, process, socket, self._books.get(table_id or ""))
        words.check(letter, self._names, self._agenda.now)
        if message["event"] == "refused" and letter.ledger is not None and letter.side is not None:
            code = message["code"]
            refusals.check(code, process, letter.ledger, letter.side, self._policy)
        if message["event"] == "refused":
            self._counts[f"refused {message['code']}"] += 1
        if process in self._duties:
            places.check_letter(letter, self._duties[process], self._memory)
            duties.note_letter(self._duties[process], connection_id, message)
        if letter.ledger is not None and message["event"] == "view" and "re" not in message:
            letter.ledger.healed_at = self._agenda.now
        is_news = fault == "lost" and "re" not in message
        if fault and not is_news:
            self._disturb(connection_id, f"letter {fault}")
        if message.get("code") == "busy":
            self._disturb(connection_id, "busy")
        return message

    def found_gone(self, process: Process, connection_id: ConnectionId) -> None:
        """A post has found its connection gone."""
        if process in self._duties:
            self._duties[process].gone.add(connection_id)

    def buried(self, key: ConnectionKey) -> None:
        """A connection gets its tombstone, or has it already."""
        self._buriers.setdefault(key.connection_id, self._process())

    # ---- timer messages

    def sent(self, table_id: TableId, timer_at: int, delays: list[int]) -> None:
        """A timer message was sent, perhaps to be lost, late or doubled."""
        process, ledger = self._process(), self._books[table_id]
        duty = self._duties[process]
        duties.check_sent(duty, process, self._agenda.now, ledger.table, timer_at)
        is_troubled = delays != [USUAL_QUEUE_MS]
        if is_troubled and ledger.timer is not None and ledger.timer.at == timer_at:
            self.punctuality.trouble(ledger)

    # ---- processes

    def started(self, process: Process) -> None:
        """A process begins."""
        head = duties.head_of(process, self._memory)
        self._duties[process] = Duty(head=head, players=dict(self._memory.players))

    def done(self, process: Process) -> None:
        """A process has ended."""
        cause = process.cause
        self._counts[f"action {cause.action or cause.function}"] += 1
        duty = self._duties.pop(process)
        if not process.faults:
            self._check_clean(process, duty)
        else:
            for table_id in (cause.table, *(table_id for table_id, _ in cause.timers)):
                if table_id in self._books:
                    self.punctuality.trouble(self._books[table_id])
        took_ms = self._agenda.now - (cause.received_at or self._agenda.now)
        if process.faults or took_ms > SLOW_MS:
            self._disturb(ConnectionId(cause.connection), f"{cause.key} {process.faults} {took_ms}")
        if process.is_done and cause.function == "disconnect":
            self._check_gone(process)

    def _check_clean(self, process: Process, duty: Duty) -> None:
        """Nobody gets an internal error, and everybody an answer, where nothing went wrong."""
        bugs = [bug for bug in process.bugs if not isinstance(bug, Refusal)]
        failure = process.failure
        if failure is not None and not _is_busy(failure):
            bugs.append(failure)
        for bug in bugs:
            raise bug
        duty.gone -= {one for one in duty.gone if self._is_care_of_another(one, process)}
        duties.check(duty, process, self._books, self._memory, self._agenda.now)
        places.check_attached(process, duty, self._books, self._memory)
        ledger = self._books.get(process.cause.table or "")
        if ledger is not None and process.cause.action == "sync":
            ledger.heard[PlayerId(process.cause.player)] = process.started_at

    def _is_care_of_another(self, connection_id: ConnectionId, process: Process) -> bool:
        """Whether somebody else buries it, and may have met a fault in doing so."""
        burier = self._buriers.get(connection_id, process)
        return burier is not process and (burier in self._duties or bool(burier.faults))

    def _check_gone(self, process: Process) -> None:
        """A connection that has been closed sits nowhere any more, and never will."""
        cause = process.cause
        key = ConnectionKey(PlayerId(cause.player), ConnectionId(cause.connection))
        hold(key in self._memory.buried, "a tombstone for the closed", connection=cause.connection)
        for table in self._memory.tables.values():
            for seat in (table.white, table.black):
                is_over = table.status is Status.OVER
                sits = key.connection_id in seat.connections and not is_over
                hold(not sits, "a closed connection sits nowhere", connection=cause.connection)

    # ---- in the end

    def everybody_is_up_to_date(self) -> None:
        """After the storm every connected viewer shows the head, and both the same."""
        for device in self._devices.values():
            view = device.client.view
            if not device.is_fit or view is None:
                continue
            ledger = self._books[view["table"]]
            if device.client.watch.is_asking:
                is_late = self._freshness.is_late(device)
                hold(not is_late, "everybody is up to date in the end", device=device.name)
            words.compare(view, ledger.by_v[view["v"]], PlayerId(device.player))

    def everything_has_ended(self) -> None:
        """Left alone, every table closes; each result is there once, and nobody holds a seat."""
        memory = self._memory
        for table in memory.tables.values():
            hold(table.status is Status.OVER, "left alone, every table closes", table=table)
        for player in memory.players.values():
            hold(player.seat is None, "every seat is released", player=player)
        for table_id, ledger in self._books.items():
            kept = [record for record in memory.records if record.table.table_id == table_id]
            games = {record.table.game for record in kept}
            once = len(kept) == len(games) == ledger.results
            hold(once, "one record for each result", table=table_id, kept=len(kept))
        for player_id, total in memory.totals.items():
            played = sum(player_id in {r.white, r.black} for r in memory.records)
            hold(total == played, "every result is counted once", player=player_id)

    # ---- below

    def _disturb(self, connection_id: ConnectionId, why: str) -> None:
        socket = self._sockets.get(connection_id)
        if socket is None:
            return
        for device in self._devices.values():
            if device is socket.end and device.client.socket is socket:
                device.disturb(why)

    def _process(self) -> Process:
        if Current.box is None or Current.box.process is None:
            raise ValueError("nobody writes")
        return Current.box.process


def _is_busy(failure: BaseException) -> bool:
    if isinstance(failure, ExceptionGroup):
        return all(_is_busy(one) for one in failure.exceptions)
    return isinstance(failure, Refusal)


def _seat(table: Table) -> Seat:
    return table.white if table.white.player_id else table.black
