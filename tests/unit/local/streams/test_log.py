"""A stream is read on over iterators that expire and records that are gone."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from infra.local.cloudformation.intrinsics import Place
from infra.local.dynamodb.api import STREAMS, DynamoDbApi
from infra.local.dynamodb.ministack import MiniStackError
from infra.local.streams.log import StreamLog

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/now"


class FakeStreams:
    """DynamoDB Streams with one shard. Iterators are positions in `records`."""

    def __init__(self) -> None:
        self.records: list[str] = []
        self.trimmed = 0
        self.has_expired = False
        self.refusal: str | None = None
        self.calls: list[str] = []

    async def answer(self, request: web.BaseRequest) -> web.Response:
        operation = request.headers["X-Amz-Target"].removeprefix("DynamoDBStreams_20120810.")
        assert "/us-east-1/dynamodb/aws4_request" in request.headers["Authorization"]
        self.calls.append(operation)
        body = json.loads(await request.read())
        if self.refusal is not None:
            return refused(self.refusal)
        match operation:
            case "ListStreams":
                return web.json_response({"Streams": [{"StreamArn": ARN}]})
            case "DescribeStream":
                return web.json_response({"StreamDescription": {"Shards": [{"ShardId": "s"}]}})
            case "GetShardIterator":
                return self._iterator(body)
        return self._page(int(body["ShardIterator"]))

    def _iterator(self, body: dict[str, Any]) -> web.Response:
        self.has_expired = False
        if body["ShardIteratorType"] == "TRIM_HORIZON":
            return web.json_response({"ShardIterator": str(self.trimmed)})
        after = self.records.index(body["SequenceNumber"]) + 1
        if after <= self.trimmed:
            return refused("TrimmedDataAccessException")
        return web.json_response({"ShardIterator": str(after)})

    def _page(self, position: int) -> web.Response:
        if self.has_expired:
            return refused("com.amazonaws.dynamodb.v20120810#ExpiredIteratorException")
        if position < self.trimmed:
            return refused("TrimmedDataAccessException")
        records = [{"dynamodb": {"SequenceNumber": one}} for one in self.records[position:]]
        following = str(len(self.records))
        return web.json_response({"Records": records, "NextShardIterator": following})


def refused(code: str) -> web.Response:
    return web.json_response({"__type": code, "message": "no"}, status=400)


@pytest.fixture
async def streams() -> AsyncIterator[tuple[FakeStreams, StreamLog]]:
    fake = FakeStreams()
    runner = web.ServerRunner(web.Server(fake.answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    log = StreamLog(DynamoDbApi(f"http://{host}:{port}", Place(), STREAMS), "t")
    yield fake, log
    await log.close()
    await runner.cleanup()


async def read(log: StreamLog) -> list[str]:
    return [one["dynamodb"]["SequenceNumber"] for one in await log.read()]


async def test_it_is_read_from_its_beginning_and_then_what_is_new(
    streams: tuple[FakeStreams, StreamLog],
) -> None:
    fake, log = streams
    fake.records = ["1", "2"]
    assert await read(log) == ["1", "2"]
    assert await read(log) == []
    fake.records.append("3")
    fake.calls.clear()
    assert await read(log) == ["3"]
    assert fake.calls == ["GetRecords"]


@pytest.mark.parametrize("before", [[], ["1"]])
async def test_an_iterator_that_expired_loses_and_doubles_nothing(
    streams: tuple[FakeStreams, StreamLog], before: list[str]
) -> None:
    fake, log = streams
    fake.records = list(before)
    await read(log)
    fake.records += ["2", "3"]
    fake.has_expired = True
    assert await read(log) == ["2", "3"]


async def test_what_is_gone_from_the_stream_is_passed_over(
    streams: tuple[FakeStreams, StreamLog],
) -> None:
    fake, log = streams
    fake.records = ["1"]
    assert await read(log) == ["1"]
    fake.records += ["2", "3"]
    fake.trimmed = 2
    assert await read(log) == ["3"]


async def test_what_was_read_already_is_not_read_again(
    streams: tuple[FakeStreams, StreamLog],
) -> None:
    fake, log = streams
    fake.records = ["9", "10"]
    assert await read(log) == ["9", "10"]
    fake.records.append("11")
    log._iterator = "0"
    assert await read(log) == ["11"]


async def test_any_other_refusal_is_told(streams: tuple[FakeStreams, StreamLog]) -> None:
    fake, log = streams
    fake.refusal = "ResourceNotFoundException"
    with pytest.raises(MiniStackError, match="the stream of t: ListStreams is refused"):
        await log.read()
