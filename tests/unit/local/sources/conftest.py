"""Queues behind the endpoint alone, a clock of the test's own, and a real AWS client."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from aiohttp import web
from botocore.config import Config

from infra.local.cloudformation.intrinsics import Place
from infra.local.sources.queue_specs import QueueSpec
from infra.local.sources.queue_state import Queue
from infra.local.sources.queues import Queues
from infra.local.sources.sqs import SqsEndpoint
from infra.local.timing.clock import TestClock

START = 1_800_000_000_000
ARN = "arn:aws:sqs:us-east-1:000000000000:"


def spec(name: str, **settings: Any) -> QueueSpec:  # noqa: ANN401 - as many types as settings
    return QueueSpec(name, ARN + name, f"http://x/_sqs/0/{name}", **settings)


def specs() -> list[QueueSpec]:
    """One queue of each kind, and their dead letters."""
    return [
        spec("work", most_receives=2, dead_letters=ARN + "dead"),
        spec("dead", retention_s=400_000),
        spec("slow", delay_s=100, wait_s=1, most_bytes=1024),
        spec(
            "line.fifo",
            is_fifo=True,
            deduplicates_by_content=True,
            most_receives=2,
            dead_letters=ARN + "dead.fifo",
        ),
        spec("dead.fifo", is_fifo=True, deduplicates_by_content=True),
        spec("plain.fifo", is_fifo=True, delay_s=10),
        spec("groups.fifo", is_fifo=True, deduplicates_per_group=True),
    ]


class Sqs:
    """The queues, their clock, and a client that talks to them from a thread."""

    def __init__(self, queues: Queues, clock: TestClock, endpoint: str) -> None:
        make: Any = boto3.client
        self.queues, self.clock, self.endpoint = queues, clock, endpoint
        self.client = make(
            "sqs",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
            # What the service refuses is to be refused by the service.
            config=Config(parameter_validation=False, retries={"max_attempts": 0}),
        )

    def url(self, name: str) -> str:
        return f"{self.endpoint}/000000000000/{name}"

    def queue(self, name: str = "work") -> Queue:
        return self.queues.by_name[name]

    async def call(self, operation: str, queue: str = "work", **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - as the client takes them
        parameters.setdefault("QueueUrl", self.url(queue))
        return dict(await asyncio.to_thread(getattr(self.client, operation), **parameters))

    async def send(self, body: str, queue: str = "work", **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - the same
        return await self.call("send_message", queue, MessageBody=body, **parameters)

    async def receive(self, queue: str = "work", **parameters: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - the same
        parameters.setdefault("MaxNumberOfMessages", 10)
        answer = await self.call("receive_message", queue, **parameters)
        return list(answer.get("Messages", []))

    async def bodies(self, queue: str = "work", **parameters: Any) -> list[str]:  # noqa: ANN401 - the same
        return [one["Body"] for one in await self.receive(queue, **parameters)]

    def wait(self, seconds: float) -> None:
        self.clock.set(self.clock.now() + round(seconds * 1000))


@pytest.fixture
async def sqs(tmp_path: Path) -> AsyncIterator[Sqs]:
    clock = TestClock(tmp_path / "clock", START)
    queues = Queues(specs(), clock)
    runner = web.ServerRunner(web.Server(SqsEndpoint(queues, Place()).answer))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    yield Sqs(queues, clock, f"http://{host}:{port}/_sqs")
    await runner.cleanup()
