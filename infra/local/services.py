"""The services of AWS that a project uses, put together: APIs, queues, streams, schedules.

Who needs whom is said here and nowhere else. Nothing listens yet, and no time passes.
"""

from dataclasses import dataclass
from pathlib import Path

from infra.local.apigateway.throttles import AccountLimits, Throttles, seconds_of
from infra.local.control import Control
from infra.local.dynamodb.api import DynamoDbApi
from infra.local.dynamodb.errors import DynamoDbWords
from infra.local.dynamodb.expiry import Expiry
from infra.local.dynamodb.front import DynamoDbFront
from infra.local.endpoints import Endpoints
from infra.local.httpapi.api import HttpApis, HttpParts
from infra.local.lambdas.invoke_api import LambdaEndpoint
from infra.local.mishaps import Mishaps
from infra.local.options import Options
from infra.local.project import Project
from infra.local.server import Server, Unlucky
from infra.local.sources.deliveries import Deliveries, Tools
from infra.local.sources.queue_sources import read_queue_sources
from infra.local.sources.queue_specs import read_queues
from infra.local.sources.queues import Queues
from infra.local.sources.sqs import SqsEndpoint
from infra.local.sources.sqs_mishaps import SqsWords
from infra.local.sources.unattended import Unattended
from infra.local.streams.mapping import read_stream_sources
from infra.local.streams.streams import Streams
from infra.local.switches import Switchboard
from infra.local.websocket.connections import Connections
from infra.local.websocket.gateway import Gateway, Parts
from infra.local.websocket.handshake import Door
from infra.local.websocket.post_mishaps import PostWords
from infra.local.websocket.posts import Posts


@dataclass(frozen=True, slots=True)
class Ground:
    """What the services stand on."""

    options: Options
    tools: Tools
    switches: Switchboard
    endpoints: Endpoints
    domain: str


@dataclass(frozen=True, slots=True)
class Services:
    """What serves a project. `begin`, listen with `server`, `start`; at the end `stop`."""

    gateway: Gateway
    queues: Queues
    unattended: Unattended
    streams: Streams
    expiry: Expiry
    server: Server
    state: Path

    @classmethod
    def of(cls, project: Project, ground: Ground) -> "Services":
        """Return the services of a project. Raises TemplateError."""
        template, functions, tools = project.template, project.functions, ground.tools
        queues = Queues(
            read_queues(template), tools.agenda.clock, lambda: tools.chance.late_ms("queue")
        )
        for source in read_queue_sources(template, functions):
            Deliveries(source, queues.of_arn(source.queue_arn), tools)
        unattended = Unattended.of(template, functions, queues, tools)
        throttles = Throttles(
            AccountLimits().changed(ground.options.limits), seconds_of(tools.agenda.clock)
        )
        gateway, connections = _websockets(ground, throttles)
        dynamodb = DynamoDbApi(ground.endpoints.dynamodb, template.place)
        expiry = Expiry(project.tables, dynamodb, tools.agenda, tools.quiet)
        server = Server(
            project.websockets,
            gateway,
            connections,
            SqsEndpoint(queues, template.place),
            LambdaEndpoint.of(template, functions, unattended.asynchronous, tools),
            _control(project, ground, gateway, connections),
            _https(project, ground, throttles),
            ground.options.static,
            _unlucky(ground),
        )
        return cls(
            gateway=gateway,
            queues=queues,
            unattended=unattended,
            streams=Streams.of(read_stream_sources(template, functions), queues, tools, expiry),
            expiry=expiry,
            server=server,
            state=ground.options.state,
        )

    async def begin(self) -> None:
        """What was written before anybody is served is not taken for new."""
        await self.streams.begin(self._streams_file)

    def start(self) -> None:
        """Time goes on: what was kept is there again, what is due comes."""
        self.queues.restore(self._queues_file)
        self.streams.start()
        self.expiry.start()
        self.unattended.start(self.state)

    async def stop_asking(self) -> None:
        """No function is asked for anything new."""
        self.unattended.stop(self.state)
        await self.streams.stop()

    async def stop(self) -> None:
        """Everything is kept. Functions have ended, DynamoDB has not."""
        await self.expiry.stop()
        if self.server.unlucky.dynamodb is not None:
            await self.server.unlucky.dynamodb.stop()
        await self.streams.save(self._streams_file)
        self.queues.save(self._queues_file)

    @property
    def _streams_file(self) -> Path:
        return self.state / "streams.json"

    @property
    def _queues_file(self) -> Path:
        return self.state / "queues.json"


def _websockets(ground: Ground, throttles: Throttles) -> tuple[Gateway, Connections]:
    tools = ground.tools
    connections = Connections(
        tools.agenda.clock, tools.metrics, throttles, Posts(tools.chance, tools.quiet)
    )
    tools.quiet.listen_to(connections.unconfirmed)
    door = Door(tools.invoker, tools.agenda.clock, tools.place, ground.domain, throttles)
    parts = Parts(
        agenda=tools.agenda,
        quiet=tools.quiet,
        invoker=tools.invoker,
        connections=connections,
        metrics=tools.metrics,
        door=door,
        throttles=throttles,
        chance=tools.chance,
    )
    return Gateway(parts), connections


def _https(project: Project, ground: Ground, throttles: Throttles) -> HttpApis:
    tools = ground.tools
    parts = HttpParts(
        tools.invoker, tools.agenda.clock, tools.quiet, throttles, tools.place, ground.domain
    )
    return HttpApis(project.https, parts)


def _unlucky(ground: Ground) -> Unlucky:
    chance, endpoint = ground.tools.chance, ground.endpoints.dynamodb
    dynamodb = Mishaps("dynamodb", DynamoDbWords(), chance)
    return Unlucky(
        sqs=Mishaps("sqs", SqsWords(), chance),
        posts=Mishaps("connections", PostWords(), chance),
        dynamodb=DynamoDbFront(endpoint, dynamodb) if ground.endpoints.has_front else None,
    )


def _control(
    project: Project, ground: Ground, gateway: Gateway, connections: Connections
) -> Control:
    tools = ground.tools
    return Control(
        tools.agenda,
        tools.quiet,
        connections,
        gateway,
        tools.metrics,
        project.described(ground.endpoints),
        ground.switches,
    )
