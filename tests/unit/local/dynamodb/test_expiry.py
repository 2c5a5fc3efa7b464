"""Time to live: what is deleted when, and whose deletion it was."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from infra.local.cloudformation.intrinsics import Place
from infra.local.dynamodb.api import DynamoDbApi, RefusedError
from infra.local.dynamodb.expiry import Expiry
from infra.local.dynamodb.tables import Table
from infra.local.timing.agenda import Agenda
from infra.local.timing.clock import TestClock
from infra.local.timing.quiet import Quiet

START = 1_800_000_000_000
HOUR_MS = 3_600_000
TABLE = Table("t", {"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}, "expires")


class FakeTable(DynamoDbApi):
    """Answers a scan with its items, two at a time, and refuses to delete what has changed."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:1", Place())
        self.items: dict[str, int] = {}
        self.changing: set[str] = set()
        self.deleted: list[str] = []
        self.gone: set[str] = set()

    async def call(self, operation: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        if operation == "Scan":
            return self._scanned(body)
        id_ = body["Key"]["id"]["S"]
        if id_ in self.changing:
            raise RefusedError("ConditionalCheckFailedException", "changed")
        self.deleted.append(id_)
        self.gone.add(id_)
        return {}

    def _scanned(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        bounds = body["ExpressionAttributeValues"]
        oldest, latest = int(bounds[":oldest"]["N"]), int(bounds[":latest"]["N"])
        first = int(body.get("ExclusiveStartKey", 0))
        page = list(self.items.items())[first : first + 2]
        found = [
            {"id": {"S": id_}, "expires": {"N": str(expires)}}
            for id_, expires in page
            if oldest <= expires <= latest and id_ not in self.gone
        ]
        more = {"LastEvaluatedKey": first + 2} if first + 2 < len(self.items) else {}
        return {"Items": found, **more}


class Bench:
    def __init__(self, path: Path, *tables: Table) -> None:
        self.api, self.quiet = FakeTable(), Quiet()
        self.clock = TestClock(path / "clock", START)
        self.agenda = Agenda(self.clock, self.quiet)
        self.expiry = Expiry(tables, self.api, self.agenda, self.quiet)
        self.expiry.start()

    async def advance(self, hours: int) -> list[str]:
        await self.agenda.advance(self.clock, hours * HOUR_MS)
        deleted, self.api.deleted = self.api.deleted, []
        return deleted


def removal(id_: str, event: str = "REMOVE") -> dict[str, Any]:
    return {"eventName": event, "dynamodb": {"Keys": {"id": {"S": id_}}}}


@pytest.mark.fact("C.ttl.late", "C.ttl.hours")
async def test_what_expires_is_deleted_two_days_later(tmp_path: Path) -> None:
    bench = Bench(tmp_path, TABLE)
    bench.api.items = {f"{n}": START // 1000 for n in range(5)}
    assert await bench.advance(47) == []
    assert sorted(await bench.advance(13)) == ["0", "1", "2", "3", "4"]


@pytest.mark.fact("C.ttl.five-years")
async def test_what_expired_years_ago_is_kept(tmp_path: Path) -> None:
    bench = Bench(tmp_path, TABLE)
    years_ago = START // 1000 - 5 * 365 * 86_400
    bench.api.items = {"mistake": years_ago - 1, "old": years_ago + 86_400}
    assert await bench.advance(12) == ["old"]


@pytest.mark.fact("C.streams.ttl.identity")
async def test_only_its_own_deletion_is_signed_and_only_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path, TABLE)
    bench.api.items = {"a": START // 1000 - 90 * 86_400}
    await bench.advance(12)
    assert bench.expiry.signed("t", removal("b")) == removal("b")
    assert bench.expiry.signed("other", removal("a")) == removal("a")
    assert bench.expiry.signed("t", removal("a", "MODIFY")) == removal("a", "MODIFY")
    signed = bench.expiry.signed("t", removal("a"))
    assert signed["userIdentity"]["principalId"] == "dynamodb.amazonaws.com"
    assert bench.expiry.signed("t", removal("a")) == removal("a")


async def test_what_is_changed_in_time_is_not_deleted_and_nothing_signed(tmp_path: Path) -> None:
    bench = Bench(tmp_path, TABLE)
    bench.api.items = {"a": START // 1000 - 90 * 86_400}
    bench.api.changing = {"a"}
    assert await bench.advance(12) == []
    assert bench.expiry.signed("t", removal("a")) == removal("a")


async def test_without_a_time_to_live_nothing_is_planned(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Table("t", TABLE.arguments))
    assert bench.agenda.next_due() is None


async def test_after_a_stop_nothing_is_deleted(tmp_path: Path) -> None:
    bench = Bench(tmp_path, TABLE)
    bench.api.items = {"a": START // 1000 - 90 * 86_400}
    await bench.expiry.stop()
    assert await bench.advance(48) == []
