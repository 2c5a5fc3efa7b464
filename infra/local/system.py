"""Puts the local system together from options and a template, starts it and stops it.

The composition root: the order in which things come up, and in which they go down so that nothing
is lost (sockets first, then functions, queues, and DynamoDB last).
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
from infra.local.cloudformation.left_out import left_out
from infra.local.cloudformation.template import Template, template_of
from infra.local.cloudformation.transform import Source
from infra.local.control import Control
from infra.local.dynamodb.api import DynamoDbApi
from infra.local.dynamodb.expiry import Expiry
from infra.local.dynamodb.ministack import MiniStack
from infra.local.dynamodb.tables import create_tables, read_tables
from infra.local.endpoints import Endpoints, described
from infra.local.httpapi.api import HttpApis, HttpParts
from infra.local.httpapi.reading import read_http_apis
from infra.local.httpapi.routes import HttpApi
from infra.local.lambdas.functions import Functions, read_functions
from infra.local.lambdas.inprocess import InProcess
from infra.local.lambdas.invocation import Invoker
from infra.local.lambdas.invoke_api import LambdaEndpoint
from infra.local.lambdas.nursery import Nursery, Surroundings
from infra.local.lambdas.pool import Around, Pool
from infra.local.lambdas.reload import reload_on_change
from infra.local.logs import TERMINAL, report
from infra.local.metrics import Metrics
from infra.local.options import Options
from infra.local.server import Server
from infra.local.sources.deliveries import Deliveries, Tools
from infra.local.sources.queue_sources import read_queue_sources
from infra.local.sources.queue_specs import read_queues
from infra.local.sources.queues import Queues
from infra.local.sources.sqs import SqsEndpoint
from infra.local.sources.unattended import Unattended
from infra.local.streams.mapping import read_stream_sources
from infra.local.streams.streams import Streams
from infra.local.switches import Switchboard
from infra.local.timing.agenda import Agenda
from infra.local.timing.clock import NS_PER_MS, SystemClock, TestClock
from infra.local.timing.quiet import Quiet
from infra.local.websocket.connections import Connections
from infra.local.websocket.gateway import Gateway, Parts
from infra.local.websocket.handshake import Door
from infra.local.websocket.posts import Posts
from infra.local.websocket.routes import Api, by_heat, read_apis
from infra.local.apigateway.throttles import AccountLimits, Throttles, seconds_of

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
    _listening: socket.socket | None = None
    _lock: TextIO | None = None
    _ministack: MiniStack | None = None
    _nursery: Nursery | None = None
    _invoker: Invoker | None = None
    _agenda: Agenda | None = None
    _gateway: Gateway | None = None
    _queues: Queues | None = None
    _unattended: Unattended | None = None
    _streams: Streams | None = None
    _expiry: Expiry | None = None
    _http: tuple[HttpApi, ...] = ()
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

    @property
    def _base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Everything answers. Raises CannotStart, TemplateError or MiniStackError."""
        options = self.options
        self._check_paths()
        self._listening = claim_port(options.host, options.port)
        self.port = int(self._listening.getsockname()[1])
        self._lock = claim_state(options.state)
        place = Place(region=options.region, stack=options.stack_name)
        self._ministack = MiniStack(options.state, place)
        self._ministack.start()
        self._start_nursery(place)
        source = Source(options.template, options.parameters)
        document, _ = await asyncio.gather(
            transformed(source, options.state / "template.json"), self._ministack.ready()
        )
        template = template_of(document, source, place, self._base_url)
        functions, apis = self._read(template)
        async with DynamoDbApi(self._ministack.endpoint, place) as api:
            await create_tables(read_tables(template), api)
        await self._assemble(template, functions, apis)
        self._warm(functions, apis)

    async def stop(self) -> None:
        """Nothing runs any more and the state is on disk."""
        for task in self._background:
            task.cancel()
        if self._agenda is not None:
            self._agenda.stop()
        if self._gateway is not None:
            await self._gateway.close_all(STOPPING_LIMIT_S)
        if self._runner is not None:
            await self._runner.cleanup()
        await self._stop_functions()
        if self._queues is not None:
            self._queues.save(self._queue_file)
        if self._ministack is not None:
            await self._ministack.stop()
        for held in (self._listening, self._lock):
            if held is not None:
                held.close()

    async def _stop_functions(self) -> None:
        if self._unattended is not None:
            self._unattended.stop(self.options.state)
        if self._streams is not None:
            await self._streams.stop()
        if self._invoker is not None:
            await self._invoker.stop()
        if self._expiry is not None:
            await self._expiry.stop()
        if self._streams is not None:
            await self._streams.save(self._stream_file)

    @property
    def _stream_file(self) -> Path:
        return self.options.state / "streams.json"

    @property
    def _queue_file(self) -> Path:
        return self.options.state / "queues.json"

    def _check_paths(self) -> None:
        options = self.options
        if not options.template.is_file():
            raise CannotStart(f"There is no template {options.template}: name it with --template.")
        for folder in (options.static, *options.layers):
            if folder is not None and not folder.is_dir():
                raise CannotStart(f"There is no folder {folder}.")

    def _read(self, template: Template) -> tuple[Functions, dict[str, Api]]:
        """Read what the template runs, and tell the processes that will run it."""
        if line := left_out(template):
            report(line)
        functions = read_functions(template, self.options.state)
        apis = read_apis(template, functions)
        self._http = read_http_apis(template, functions)
        self.stage = next(iter(apis), None)
        around = self._surroundings(template.place, apis)
        if self._nursery is None:
            self._invoker = InProcess(around, self.metrics)
        else:
            self._nursery.around = around
        return functions, apis

    def _start_nursery(self, place: Place) -> None:
        """What takes long is begun at once; what the template says comes later."""
        self._clock()  # set before any process reads it
        if not self.options.is_in_process:
            self._nursery = Nursery(self._surroundings(place, {}))
            self._nursery.start()
            around = Around(self.metrics, self.quiet, self._switches.chance)
            self._invoker = Pool(self._nursery, self.options.workers, around)

    def _endpoints(self, apis: dict[str, Api]) -> Endpoints:
        return Endpoints(
            base_url=self._base_url,
            dynamodb="" if self._ministack is None else self._ministack.endpoint,
            stage=next(iter(apis), None),
        )

    def _surroundings(self, place: Place, apis: dict[str, Api]) -> Surroundings:
        options = self.options
        return Surroundings(
            place=place,
            endpoints=self._endpoints(apis).variables(),
            own_endpoints=self._endpoints(apis).of_functions(apis),
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

    async def _assemble(
        self, template: Template, functions: Functions, apis: dict[str, Api]
    ) -> None:
        if self._invoker is None:
            raise RuntimeError("functions are read first")
        agenda = self._agenda = Agenda(self._clock(), self.quiet)
        TERMINAL.follow(agenda.clock.now, is_verbose=self.options.is_verbose)
        chance = self._switches.chance
        tools = Tools(agenda, self.quiet, self._invoker, self.metrics, template.place, chance)
        queues = self._queues = Queues(
            read_queues(template), agenda.clock, lambda: chance.late_ms("queue")
        )
        for source in read_queue_sources(template, functions):
            Deliveries(source, queues.of_arn(source.queue_arn), tools)
        unattended = self._unattended = Unattended.of(template, functions, queues, tools)
        account = AccountLimits().changed(self.options.limits)
        throttles = Throttles(account, seconds_of(agenda.clock))
        connections = Connections(agenda.clock, self.metrics, throttles, Posts(chance, self.quiet))
        self.quiet.listen_to(connections.unconfirmed)
        gateway = self._gateway = Gateway(
            Parts(
                agenda=agenda,
                quiet=self.quiet,
                invoker=self._invoker,
                connections=connections,
                metrics=self.metrics,
                door=Door(
                    self._invoker,
                    agenda.clock,
                    template.place,
                    f"localhost:{self.port}",
                    throttles,
                ),
                throttles=throttles,
                chance=chance,
            )
        )
        control = Control(
            agenda,
            self.quiet,
            connections,
            gateway,
            self.metrics,
            described(template, apis, self._endpoints(apis)),
            self._switches,
        )
        domain = f"localhost:{self.port}"
        place, clock = template.place, agenda.clock
        parts = HttpParts(self._invoker, clock, self.quiet, throttles, place, domain)
        server = Server(
            apis,
            gateway,
            connections,
            SqsEndpoint(queues, template.place),
            LambdaEndpoint.of(template, functions, unattended.asynchronous, tools),
            control,
            HttpApis(self._http, parts),
            self.options.static,
        )
        dynamodb = DynamoDbApi(self._endpoints(apis).dynamodb, template.place)
        expiry = self._expiry = Expiry(read_tables(template), dynamodb, agenda, self.quiet)
        stream_sources = read_stream_sources(template, functions)
        streams = self._streams = Streams.of(stream_sources, queues, tools, expiry)
        await streams.begin(self._stream_file)
        await self._serve(server)
        queues.restore(self._queue_file)
        streams.start()
        expiry.start()
        unattended.start(self.options.state)
        if self.options.reloads:
            watching = reload_on_change(self.options, functions, self._invoker)
            self._background.append(asyncio.ensure_future(watching))

    async def _serve(self, server: Server) -> None:
        if self._listening is None:
            raise RuntimeError("the port is bound first")
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
        await web.SockSite(self._runner, self._listening, backlog=1024).start()

    def _warm(self, functions: Functions, apis: dict[str, Api]) -> None:
        if self._invoker is not None:
            order = by_heat(functions, apis)
            self._background.append(asyncio.ensure_future(self._invoker.warm(order)))
