"""How tests talk to the system of `gates.yaml`: stages, clients, what its functions noted."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import aiohttp
import boto3

from infra.local.stack import Stack

GATES: Final = Path(__file__).parent / "gates.yaml"
KEY: Final = "open-sesame-open-sesame"
IN_CLUB: Final = {"x-api-key": KEY, "X-Client": "test"}
HEARING_LIMIT_S: Final = 10.0
OVER: Final = (aiohttp.WSMsgType.CLOSING, aiohttp.WSMsgType.CLOSED)
Event = dict[str, Any]


def address(stack: Stack, stage: str) -> str:
    return f"{stack.url.replace('http', 'ws', 1)}/{stage}"


@dataclass(slots=True)
class Client:
    """A client that reads all the time, so that it answers pings while a test waits."""

    socket: aiohttp.ClientWebSocketResponse
    heard: asyncio.Queue[aiohttp.WSMessage] = field(default_factory=asyncio.Queue)

    @property
    def id(self) -> str:
        return str(self.socket._response.headers["X-Local-Connection-Id"])

    async def send(self, message: object) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        await self.socket.send_str(text)

    async def hear(self) -> aiohttp.WSMessage:
        async with asyncio.timeout(HEARING_LIMIT_S):
            return await self.heard.get()

    async def hear_text(self) -> str:
        return str((await self.hear()).data)

    async def ask(self, **message: object) -> Event:
        await self.send(message)
        return dict(json.loads(await self.hear_text()))

    async def read(self) -> None:
        message = await self.socket.receive()
        while message.type not in OVER:
            self.heard.put_nowait(message)
            message = await self.socket.receive()
        self.heard.put_nowait(message)  # so that nobody waits for more


@asynccontextmanager
async def client(
    http: aiohttp.ClientSession,
    url: str,
    **more: Any,  # noqa: ANN401 - what aiohttp takes
) -> AsyncIterator[Client]:
    async with http.ws_connect(url, **more) as socket:
        one = Client(socket)
        reading = asyncio.create_task(one.read())
        try:
            yield one
        finally:
            await socket.close()
            await reading


def management(stack: Stack, stage: str, **more: Any) -> Any:  # noqa: ANN401 - clients are made at run time
    make: Any = boto3.client
    return make(
        "apigatewaymanagementapi",
        endpoint_url=f"{stack.url}/{stage}",
        region_name=stack.region,
        aws_access_key_id="test",
        aws_secret_access_key="test",
        **more,
    )


def note(stack: Stack, connection: str, name: str) -> Event:
    """Return what a function noted of a connection: its `event`, and what it `tried`."""
    make: Any = boto3.client
    dynamodb = make(
        "dynamodb",
        endpoint_url=stack.dynamodb_endpoint,
        region_name=stack.region,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    key = {"id": {"S": connection}}
    item = dynamodb.get_item(TableName=stack.table_name("Notes"), Key=key, ConsistentRead=True)
    return dict(json.loads(item["Item"][name]["S"]))


async def refused(
    http: aiohttp.ClientSession, url: str, headers: dict[str, str] | None = None
) -> aiohttp.ClientResponse:
    """Return the answer to a handshake that is refused; its body has been read."""
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    async with http.get(url.replace("ws", "http", 1), headers=upgrade | (headers or {})) as answer:
        await answer.read()
        return answer
