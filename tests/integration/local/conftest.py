"""The systems that tests run on, each for all of its tests, and the clients that use them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import boto3
import pytest

from infra.local.stack import Stack
from tests.integration.local.gates_at import GATES
from tests.integration.local.http.at import start

CHAT = Path(__file__).parent / "chat.yaml"
LOOSE = Path(__file__).parent / "loose.yaml"
AwsClient = Callable[[str], Any]


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The system of `chat.yaml`; starting one takes longer than most tests of it."""
    state = tmp_path_factory.mktemp("chat")
    with Stack.start(template=CHAT, state=state, test_clock=True) as running:
        yield running


@pytest.fixture(scope="session")
def loose(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The system of `loose.yaml`, whose switches each test sets."""
    state = tmp_path_factory.mktemp("loose")
    with Stack.start(template=LOOSE, state=state, test_clock=True) as running:
        yield running


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The system of `http/http.yaml`."""
    with start(tmp_path_factory.mktemp("http")) as running:
        yield running


@pytest.fixture(scope="session")
def gates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The system of `gates.yaml`, for all tests that leave it as they found it."""
    state = tmp_path_factory.mktemp("gates")
    with Stack.start(template=GATES, state=state, test_clock=True) as running:
        yield running


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def aws(stack: Stack) -> AwsClient:
    """Real AWS clients for the running system."""
    return lambda service: aws_client(stack, service)


def aws_client(stack: Stack, service: str) -> Any:  # noqa: ANN401 - clients are made at run time
    endpoints = {
        "apigatewaymanagementapi": "management_endpoint",
        "dynamodb": "dynamodb_endpoint",
        "sqs": "sqs_endpoint",
    }
    make: Any = boto3.client
    return make(
        service,
        endpoint_url=getattr(stack, endpoints[service]),
        region_name=stack.region,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


@asynccontextmanager
async def ear(
    socket: aiohttp.ClientWebSocketResponse,
) -> AsyncIterator[list[dict[str, Any]]]:
    """Hear everything, as an app does, so that settling waits until it was heard."""
    heard: list[dict[str, Any]] = []

    async def listen() -> None:
        async for message in socket:
            heard.append(json.loads(message.data))  # noqa: PERF401  heard while it goes on

    listening = asyncio.create_task(listen())
    yield heard
    listening.cancel()
    await asyncio.wait([listening])
