"""What is written on the wall is proclaimed: a table's stream, a filter, a function, a socket."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from infra.local.stack import Stack
from tests.integration.local.conftest import AwsClient


@asynccontextmanager
async def somebody(
    stack: Stack, http: aiohttp.ClientSession
) -> AsyncIterator[tuple[str, list[Any]]]:
    """A client that listens all the time: the id of its connection, and what it has heard."""
    heard: list[Any] = []

    async def listen() -> None:
        async for message in socket:
            heard.append(message.json())  # noqa: PERF401 - as they come

    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        listening = asyncio.create_task(listen())
        (connection,) = stack.connections()
        yield connection["id"], heard
        await socket.close()
        await listening


@pytest.mark.fact("C.streams.polling")
async def test_what_is_written_on_the_wall_is_heard_once_all_is_quiet(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    dynamodb, wall = aws("dynamodb"), stack.table_name("Wall")
    async with somebody(stack, http) as (connection_id, heard):
        item = {"id": {"S": connection_id}, "text": {"S": "hear, hear"}}
        dynamodb.put_item(TableName=wall, Item=item)
        dynamodb.put_item(TableName=wall, Item={**item, "text": {"S": "no: a change"}})
        await stack.settle_async()
        (told,) = heard
    assert told["record"]["eventName"] == "INSERT"
    assert told["record"]["dynamodb"]["NewImage"] == item
    assert told["time"] == stack.now()


async def test_before_time_is_advanced_streams_are_emptied(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    dynamodb, wall = aws("dynamodb"), stack.table_name("Wall")
    async with somebody(stack, http) as (connection_id, heard):
        dynamodb.put_item(TableName=wall, Item={"id": {"S": connection_id}})
        start = stack.now()
        await stack.advance_async(60_000)
        (told,) = heard
    assert told["time"] == start
    assert told["record"]["dynamodb"]["ApproximateCreationDateTime"] == start // 1000
