"""Time to live: deletes what has expired, days later, by the system's clock.

DynamoDB promises no more than "within a few days", so what has expired is still read until then.
MiniStack would delete it within a minute of the machine's time and tell the stream nothing.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.dynamodb.api import DynamoDbApi, RefusedError
from infra.local.dynamodb.tables import Table
from infra.local.timing.agenda import Agenda, Entry
from infra.local.timing.quiet import Quiet

HOUR_MS: Final = 3_600_000
EVERY_MS: Final = 12 * HOUR_MS
LATE_S: Final = 48 * 3600
# Older than five years means a mistake: it is not deleted.
OLDEST_S: Final = 5 * 365 * 86_400
CHANGED: Final = "ConditionalCheckFailedException"
SERVICE: Final = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


@dataclass(slots=True)
class Expiry:
    """Sweeps the tables that have a time to live. `start`, then `stop`."""

    tables: Sequence[Table]
    api: DynamoDbApi
    agenda: Agenda
    quiet: Quiet
    _deleted: set[tuple[str, str]] = field(default_factory=set)
    _sweeping: asyncio.Task[None] | None = None
    _alarm: Entry | None = None

    def start(self) -> None:
        """The first sweep is half a day from now."""
        if any(table.expires_by for table in self.tables):
            self._alarm = self.agenda.at(self.agenda.clock.now() + EVERY_MS, self._sweep)

    async def stop(self) -> None:
        """Nothing is deleted any more."""
        if self._alarm is not None:
            self._alarm.cancel()
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.wait([self._sweeping])
        await self.api.close()

    def signed(self, table: str, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a record of the table's stream; one of a deletion made here says whose it was."""
        place = (table, _text(record["dynamodb"]["Keys"]))
        if record["eventName"] != "REMOVE" or place not in self._deleted:
            return record
        self._deleted.discard(place)
        return {**record, "userIdentity": SERVICE}

    def _sweep(self) -> None:
        self.start()
        if self._sweeping is None or self._sweeping.done():
            self.quiet.enter()
            self._sweeping = asyncio.ensure_future(self._delete_expired())
            self._sweeping.add_done_callback(self._swept)

    def _swept(self, task: asyncio.Task[None]) -> None:
        self.quiet.leave()
        if not task.cancelled():
            task.result()

    async def _delete_expired(self) -> None:
        for table in self.tables:
            if table.expires_by is not None:
                await self._sweep_table(table, table.expires_by)

    async def _sweep_table(self, table: Table, attribute: str) -> None:
        now_s = self.agenda.clock.now() // 1000
        scan: dict[str, Any] = {
            "TableName": table.name,
            "ConsistentRead": True,
            "FilterExpression": "#expiry BETWEEN :oldest AND :latest",
            "ExpressionAttributeNames": {"#expiry": attribute},
            "ExpressionAttributeValues": {
                ":oldest": {"N": str(now_s - OLDEST_S)},
                ":latest": {"N": str(now_s - LATE_S)},
            },
        }
        while True:
            page = await self.api.call("Scan", scan)
            for item in page["Items"]:
                await self._delete(table, attribute, item)
            if "LastEvaluatedKey" not in page:
                return
            scan["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    async def _delete(self, table: Table, attribute: str, item: Mapping[str, Any]) -> None:
        names = [one["AttributeName"] for one in table.arguments["KeySchema"]]
        key = {name: item[name] for name in names}
        place = (table.name, _text(key))
        # Noted before: the stream is read while this is under way.
        self._deleted.add(place)
        request = {
            "TableName": table.name,
            "Key": key,
            "ConditionExpression": "#expiry = :seen",
            "ExpressionAttributeNames": {"#expiry": attribute},
            "ExpressionAttributeValues": {":seen": item[attribute]},
        }
        try:
            await self.api.call("DeleteItem", request)
        except RefusedError as error:
            self._deleted.discard(place)
            if error.code != CHANGED:
                raise


def _text(key: Mapping[str, Any]) -> str:
    return json.dumps(key, sort_keys=True)
