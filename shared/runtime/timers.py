"""A batch of timer messages: each wakes its table; one that fails comes again, alone."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from shared.game.ids import TableId
from shared.runtime.telemetry import log, log_bug
from shared.runtime.wiring import world
from shared.service.wake import wake


def wake_all(records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """SQS's partial batch response: the messages to deliver again."""
    failed = [record["messageId"] for record in records if not _wake(record)]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def _wake(record: Mapping[str, Any]) -> bool:
    table = None
    try:
        message = json.loads(record["body"])
        table = message["table"]
        wake(world(), TableId(table), int(message["timerAt"]))
    except Exception as bug:  # noqa: BLE001 - one table's bug must not hold up the others' clocks
        log_bug(bug, table=table)
        return False
    log("wake", table=table)
    return True
