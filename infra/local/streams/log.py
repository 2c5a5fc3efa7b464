"""Reads the stream of a table through the API of DynamoDB Streams.

Knows shard iterators: they expire, and what they pointed at may be gone after a day. MiniStack has
one shard per stream; it forgets records when it stops, which is no matter to a reader at the end.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from infra.local.dynamodb.api import DynamoDbApi, RefusedError
from infra.local.dynamodb.ministack import MiniStackError

EXPIRED: Final = "ExpiredIteratorException"
TRIMMED: Final = "TrimmedDataAccessException"


class Log(Protocol):
    """A stream that is read on from where the last reading ended."""

    async def read(self) -> list[Mapping[str, Any]]:
        """Return the next records, oldest first; none when there is nothing new."""

    async def close(self) -> None:
        """It is not read any more."""


@dataclass(slots=True)
class StreamLog:
    """The stream of one table, read from its beginning."""

    api: DynamoDbApi
    table: str
    _stream: str | None = None
    _shard: str | None = None
    _iterator: str | None = None
    _last: str | None = None

    async def read(self) -> list[Mapping[str, Any]]:
        """Return the next records, oldest first; none when there is nothing new."""
        try:
            page = await self._page()
        except RefusedError as error:
            if error.code not in {EXPIRED, TRIMMED}:
                raise MiniStackError(f"the stream of {self.table}: {error}") from error
            self._iterator = None
            page = await self._page()
        self._iterator = page.get("NextShardIterator")
        records = [one for one in page["Records"] if self._is_new(one)]
        if records:
            self._last = records[-1]["dynamodb"]["SequenceNumber"]
        return records

    def _is_new(self, record: Mapping[str, Any]) -> bool:
        return self._last is None or int(record["dynamodb"]["SequenceNumber"]) > int(self._last)

    async def _page(self) -> Mapping[str, Any]:
        if self._iterator is None:
            self._iterator = await self._where_it_ended()
        return await self.api.call("GetRecords", {"ShardIterator": self._iterator})

    async def _where_it_ended(self) -> str:
        if self._last is not None:
            try:
                return await self._at("AFTER_SEQUENCE_NUMBER", SequenceNumber=self._last)
            except RefusedError as error:
                if error.code != TRIMMED:
                    raise
        return await self._at("TRIM_HORIZON")

    async def _at(self, position: str, **more: str) -> str:
        if self._stream is None:
            listed = await self.api.call("ListStreams", {"TableName": self.table})
            self._stream = str(listed["Streams"][0]["StreamArn"])
            described = await self.api.call("DescribeStream", {"StreamArn": self._stream})
            self._shard = str(described["StreamDescription"]["Shards"][0]["ShardId"])
        wanted = {"StreamArn": self._stream, "ShardId": self._shard, "ShardIteratorType": position}
        return str((await self.api.call("GetShardIterator", {**wanted, **more}))["ShardIterator"])

    async def close(self) -> None:
        """It is not read any more."""
        await self.api.close()
