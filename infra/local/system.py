"""Starts and stops the local system: the order in which things come up and go down.

What takes long is begun first. Going down nothing is lost: sockets first, then functions, queues,
and DynamoDB last.
"""

import asyncio
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TextIO

from aiohttp import web

from infra.local.claims import CannotStart, claim_port, claim_state
from infra.local.cloudformation.apart import transformed
from infra.local.cloudformation.intrinsics import Place
from infra.local.cloudformation.template import template_of
from infra.local.cloudformation.transform import Source
from infra.local.dynamodb.api import DynamoDbApi
from infra.local.dynamodb.ministack import MiniStack
from infra.local.dynamodb.tables import create_tables
from infra.local.endpoints import Endpoints
from infra.local.lambdas.inprocess import InProcess
from infra.local.lambdas.invocation import Invoker
from infra.local.lambdas.nursery import Nursery, Surroundings
from infra.local.lambdas.pool import Around, Pool
from infra.local.lambdas.reload import reload_on_change
from infra.local.logs import TERMINAL
from infra.local.metrics import Metrics
from infra.local.options import Options
from infra.local.project import Project
from infra.local.server import Server
from infra.local.services import Ground, Services
from infra.local.sources.deliveries import Tools
from infra.local.switches import Switchboard
from infra.local.timing.agenda import Agenda
from infra.local.timing.clock import NS_PER_MS, SystemClock, TestClock
from infra.local.timing.quiet import Quiet

STOPPING_LIMIT_S: Final = 5.0
KEEP_ALIVE_S: Final = 75.0
# More than API Gateway takes: it is for the API to refuse.
LONGEST_LINE: Final = 32 * 1024


@dataclass(slots=True)
class System:
    """The whole system. `start`, then `stop`; `url` is where it is."""

    options: Options
    port: int = 0
    stage: str | None = None
    quiet: Quiet = field(default_factory=Quiet)
    metrics: Metrics = field(default_factory=Metrics)
    _listening: list[socket.socket] = field(default_factory=list)
    _lock: TextIO | None = None
    _ministack: MiniStack | None = None
    _nursery: Nursery | None = None
    _invoker: Invoker | None = None
    _agenda: Agenda | None = None
    _services: Services | None = None
    _runner: web.ServerRunner | None = None
    _background: list[asyncio.Task[None]] = field(default_factory=list)
    _switches: Switchboard = field(init=False)

    def __post_init__(self) -> None:
        """The switches stand as the options say. Raises FaultError."""
        faults, has_workers = self.options.faults, not self.options.is_in_process
        self._switches = Switchboard.at_start(faults, self.metrics.faults, has_workers=has_workers)

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://localhost:{self.port}"

    async def start(self) -> None:
        """Everything answers. Raises CannotStart, TemplateError or MiniStackError."""
        options = self.options
        self._check_paths()
        self._listening = claim_port(options.host, options.port)
        self.port = int(self._listening[0].getsockname()[1])
        self._lock = claim_state(options.state)
        place = Place(region=options.region, stack=options.stack_name)
        ministack = self._ministack = MiniStack(options.state, place)
        ministack.start()
        self._start_nursery(place)
        source = Source(options.template, options.parameters)
        document, _ = await asyncio.gather(
            transformed(source, options.state / "template.json"), ministack.ready()
        )
        template = template_of(document, source, place, self._base_url)
        project = Project.of(template, options.state)
        self.stage = project.stage
        has_front = self._switches.has_front
        endpoints = project.endpoints(self._base_url, ministack.endpoint, has_front=has_front)
        invoker = self._invoker = self._invoker_of(project, endpoints)
        async with DynamoDbApi(ministack.endpoint, place) as api:
            await create_tables(project.tables, api)
        await self._begin(project, endpoints, invoker)
        self._in_background(project, invoker)

    async def broken(self) -> None:
        """Raise MiniStackError when something ends that nothing works without."""
        if self._ministack is not None:
            await self._ministack.ended()

    async def stop(self) -> None:
        """Nothing runs any more and the state is on disk."""
        await self._stop_serving()
        if self._invoker is not None:
            await self._invoker.stop()
        if self._services is not None:
            await self._services.stop()
        if self._ministack is not None:
            await self._ministack.stop()
        for held in (*self._listening, self._lock):
            if held is not None:
                held.close()

    async def _stop_serving(self) -> None:
        for task in self._background:
            task.cancel()
        if self._agenda is not None:
            self._agenda.stop()
        if self._services is not None:
            await self._services.gateway.close_all(STOPPING_LIMIT_S)
        if self._runner is not None:
            await self._runner.cleanup()
        if self._services is not None:
            await self._services.stop_asking()

    @property
    def _base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _check_paths(self) -> None:
        options = self.options
        if not options.template.is_file():
            raise CannotStart(f"There is no template {options.template}: name it with --template.")
        for folder in (options.static, *options.layers):
            if folder is not None and not folder.is_dir():
                raise CannotStart(f"There is no folder {folder}.")

    def _start_nursery(self, place: Place) -> None:
        """Processes are begun before it is known what they will run."""
        self._clock()  # set before any process reads it
        if not self.options.is_in_process:
            self._nursery = Nursery(self._surroundings(place))
            self._nursery.start()
            around = Around(self.metrics, self.quiet, self._switches.chance)
            self._invoker = Pool(self._nursery, self.options.workers, around)

    def _invoker_of(self, project: Project, endpoints: Endpoints) -> Invoker:
        """Whoever runs the functions knows from now on what they find around them."""
        around = self._surroundings(project.template.place, project, endpoints)
        if self._nursery is None or self._invoker is None:
            return InProcess(around, self.metrics)
        self._nursery.around = around
        return self._invoker

    def _surroundings(
        self, place: Place, project: Project | None = None, endpoints: Endpoints | None = None
    ) -> Surroundings:
        options = self.options
        own = endpoints.of_functions(project.websockets) if endpoints and project else {}
        return Surroundings(
            place=place,
            endpoints=endpoints.variables() if endpoints else {},
            own_endpoints=own,
            layers=tuple(layer.resolve() for layer in options.layers),
            preload=options.preload,
            clock=self._clock_file if options.has_test_clock else None,
            reloads=options.reloads,
        )

    @property
    def _clock_file(self) -> Path:
        return (self.options.state / "clock").resolve()

    def _clock(self) -> SystemClock | TestClock:
        if not self.options.has_test_clock:
            return SystemClock()
        return TestClock(self._clock_file, time.time_ns() // NS_PER_MS)

    async def _begin(self, project: Project, endpoints: Endpoints, invoker: Invoker) -> None:
        agenda = self._agenda = Agenda(self._clock(), self.quiet)
        TERMINAL.follow(agenda.clock.now, is_verbose=self.options.is_verbose)
        place, chance = project.template.place, self._switches.chance
        tools = Tools(agenda, self.quiet, invoker, self.metrics, place, chance)
        domain = f"localhost:{self.port}"
        ground = Ground(self.options, tools, self._switches, endpoints, domain)
        services = self._services = Services.of(project, ground)
        await services.begin()
        await self._serve(services.server)
        services.start()

    async def _serve(self, server: Server) -> None:
        # Without aiohttp's application: no router and no middleware on the way of a post.
        low_level = web.Server(
            server.handle,
            access_log=None,
            keepalive_timeout=KEEP_ALIVE_S,
            max_line_size=LONGEST_LINE,
            max_field_size=LONGEST_LINE,
        )
        self._runner = web.ServerRunner(low_level)
        await self._runner.setup()
        for listening in self._listening:
            await web.SockSite(self._runner, listening, backlog=1024).start()

    def _in_background(self, project: Project, invoker: Invoker) -> None:
        self._background.append(asyncio.ensure_future(invoker.warm(project.in_order())))
        if self.options.reloads:
            watching = reload_on_change(self.options, project.functions, invoker)
            self._background.append(asyncio.ensure_future(watching))
