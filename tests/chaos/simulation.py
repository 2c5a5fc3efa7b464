"""One history: people on devices, the gateway, functions, queue and schedule, on one agenda.

First faults and people have their way; then everything comes to rest, and after a while every
viewer must show the head; in the end nobody does anything any more, and every table must close.
"""

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Final

from shared.game.ids import ConnectionId, TableId
from shared.game.table import Status
from shared.service.ports import ConnectionKey, NewTable, TableWrite
from tests.chaos.agenda import Agenda
from tests.chaos.box import Outside, Stored
from tests.chaos.config import Config
from tests.chaos.device import Act, Device
from tests.chaos.dice import Dice
from tests.chaos.doing import Doing
from tests.chaos.fates import Fate, Fates
from tests.chaos.gateway import Gateway
from tests.chaos.lambdas import Lambdas
from tests.chaos.lines import LINES
from tests.chaos.nature import Nature
from tests.chaos.person import Person
from tests.chaos.process import Process
from tests.chaos.referee.referee import Referee
from tests.chaos.sources import MINUTE_MS, Sources
from tests.support.fakes import (
    START,
    FakeCodes,
    FakeConnections,
    FakeLimits,
    FakePlayers,
    FakeTables,
    Memory,
)

SETTLED_MS: Final = 50_000
"""After faults have ceased, everybody is up to date within this."""
ALONE_MS: Final = 65 * 60_000
"""The longest that a table may go on when nobody does anything."""


@dataclass
class _Tables(FakeTables):
    """Tables whose every write the referee sees."""

    referee: Referee

    def create(self, new: NewTable) -> None:
        super().create(new)
        self.referee.made(new)

    def write(self, write: TableWrite) -> None:
        super().write(write)
        self.referee.wrote(write)


@dataclass
class _Connections(FakeConnections):
    """Connections whose tombstones the referee sees."""

    referee: Referee

    def close(self, key: ConnectionKey, now: int) -> TableId | None:
        self.referee.buried(key)
        return super().close(key, now)


class Simulation:
    """Everything of one history; `acts` and `told` make it a replay."""

    def __init__(
        self, config: Config, acts: list[Act] | None = None, told: dict[str, Fate] | None = None
    ) -> None:
        self.config = config
        self.counts: Counter[str] = Counter()
        self.agenda = Agenda(START)
        self.memory = Memory()
        self.fates = Fates(config.seed, told)
        self.gateway = Gateway(
            self.agenda, self.fates, config.weather, self.counts, config.gateway_skew_ms
        )
        self.devices = self._make_devices()
        self.referee = Referee(
            agenda=self.agenda,
            config=config,
            memory=self.memory,
            devices=self.devices,
            sockets=self.gateway.sockets,
            counts=self.counts,
        )
        self.lambdas = self._make_lambdas()
        self.gateway.invoke = self.lambdas.invoke
        self.sources = self._make_sources()
        self.gateway.on_done = self.referee.done
        self.is_told = acts is not None
        self.acts: list[Act] = acts or []
        self.doing = Doing(self.agenda, self.gateway, self.fates, config.weather, self.counts)
        self.people = self._make_people()
        self.nature = Nature(
            Dice(config.seed, "nature"), config.weather.nature_ms, self._do, config.policy
        )

    def run(self) -> None:
        """The whole history. Raises Violation."""
        try:
            self._begin()
            self.agenda.run_until(START + self.config.stormy_ms)
            self._rest()
            self.agenda.run_until(self.agenda.now + SETTLED_MS)
            self.referee.everybody_is_up_to_date()
            self._leave_alone()
            self.referee.everything_has_ended()
        finally:
            self.lambdas.stop()

    # ---- making

    def _make_devices(self) -> dict[str, Device]:
        made = {}
        for person, number in self.config.devices.items():
            for n in range(1, number + 1):
                made[f"{person}{n}"] = Device(
                    f"{person}{n}",
                    person,
                    player_id(person),
                    self.agenda,
                    self.gateway,
                    self.fates,
                    self.counts,
                    self._viewed,
                )
        return made

    def _make_lambdas(self) -> Lambdas:
        memory = self.memory
        stored = Stored(
            _Tables(memory, self.referee),
            FakeCodes(memory),
            FakePlayers(memory),
            _Connections(memory, self.referee),
            FakeLimits(memory),
        )
        outside = Outside(
            stored=stored,
            policy=self.config.policy,
            clock=self._clock,
            random=memory.draw,
            send=lambda *timer: self.sources.send(*timer),  # noqa: PLW0108 - they come later
            close=self.gateway.close,
        )
        return Lambdas(
            self.agenda,
            self.fates,
            self.config.weather,
            outside,
            self,
            self.counts,
            self.referee.started,
        )

    def _make_sources(self) -> Sources:
        return Sources(
            agenda=self.agenda,
            fates=self.fates,
            weather=self.config.weather,
            counts=self.counts,
            invoke=self.lambdas.invoke,
            on_sent=self.referee.sent,
            on_done=self.referee.done,
            on_sweep_failed=self.referee.punctuality.sweep_failed,
        )

    def _make_people(self) -> dict[str, Person]:
        config = self.config
        return {
            name: Person(
                name,
                config.people[name],
                [device for device in self.devices.values() if device.player == player_id(name)],
                Dice(config.seed, f"person/{name}"),
                LINES[config.line],
                config.control,
                self._do,
                [other for other in config.devices if other != name],
            )
            for name in config.devices
        }

    def _clock(self) -> int:
        self.memory.now = self.agenda.now
        return self.agenda.now

    # ---- its course

    def _begin(self) -> None:
        self.sources.start(START + self.config.stormy_ms + SETTLED_MS + ALONE_MS)
        if self.is_told:
            for act in self.acts:
                self.agenda.at(START + act["at"], partial(self._carry_out, act))
            return
        for person in self.people.values():
            person.begin()
        for device in self.devices.values():
            self.nature.watch(device)
        self.nature.watch_servers(next(iter(self.devices.values())))

    def _rest(self) -> None:
        """No more faults, and nobody does anything; what is on its way still arrives."""
        self.fates.is_calm = True
        self.nature.is_resting = True
        for person in self.people.values():
            person.is_resting = True

    def _leave_alone(self) -> None:
        """Everybody goes away, or stays without a word, until all tables have closed."""
        has_clock = self.config.control["totalMs"] or self.config.control["perMoveMs"]
        if self.config.ends_alone or not has_clock:
            self._all_go()
        until = self.agenda.now + ALONE_MS
        while self.agenda.now < until and not self._all_is_over():
            self.agenda.run_until(self.agenda.now + MINUTE_MS)
            if any(table.status is Status.WAITING for table in self.memory.tables.values()):
                self._all_go()

    def _all_go(self) -> None:
        for device in self.devices.values():
            device.suffer({"do": "die"})

    def _all_is_over(self) -> bool:
        return all(table.status is Status.OVER for table in self.memory.tables.values())

    # ---- acts

    def _do(self, act: Act) -> None:
        """An act drawn by chance: kept for the replay, and carried out."""
        act = {"at": self.agenda.now - START, **act}
        self.acts.append(act)
        self._carry_out(act)

    def _carry_out(self, act: Act) -> None:
        device = self.devices[act["device"]]
        if act["do"] == "deploy":
            self.counts["nature deploy"] += 1
            self.lambdas.restart()
        elif "id" in act:
            self.doing.do(device, act)
        else:
            device.suffer(act)

    def _viewed(self, device: Device) -> None:
        """A device shows something new: a code is told to the others, its owner looks."""
        self.doing.tell_code(device)
        if not self.is_told:
            self.people[device.person].notice(device)

    # ---- letters (see lambdas.Postman)

    def carry(
        self, process: Process, connection_id: ConnectionId, payload: bytes, fault: str
    ) -> bool:
        """The letter at its connection; False: that is gone."""
        message = self.referee.posted(process, connection_id, payload, fault)
        if self.gateway.carry(connection_id, message):
            return True
        self.referee.found_gone(process, connection_id)
        return False

    def lose(self, process: Process, connection_id: ConnectionId, payload: bytes) -> None:
        """The letter will never arrive."""
        self.referee.posted(process, connection_id, payload, "lost")


def player_id(person: str) -> str:
    """The identity of a player."""
    return f"player-{person}".ljust(16, "_")
