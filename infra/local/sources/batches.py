"""Batch requests of SQS: each entry succeeds or fails by itself, and the answer tells which."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from infra.local.sources.sqs_errors import SqsError, simple

MOST_ENTRIES: Final = 10
ENTRY_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,80}")


def answered(
    entries: Sequence[Mapping[str, Any]], serve: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    """Return what came of each entry; raises SqsError when the batch makes no sense at all."""
    _check(entries)
    successful, failed = [], []
    for entry in entries:
        try:
            successful.append({"Id": entry["Id"], **serve(entry)})
        except SqsError as error:
            told = {"Code": error.told_code, "Message": error.message, "SenderFault": True}
            failed.append({"Id": entry["Id"], **told})
    told = {"Successful": successful, "Failed": failed}
    return {name: entries_of for name, entries_of in told.items() if entries_of}


def _check(entries: Sequence[Mapping[str, Any]]) -> None:
    if not entries:
        raise simple("EmptyBatchRequest", "There should be at least one entry in the request.")
    if len(entries) > MOST_ENTRIES:
        words = f"Maximum number of entries per request are {MOST_ENTRIES}."
        raise simple("TooManyEntriesInBatchRequest", f"{words} You have sent {len(entries)}.")
    ids = [str(entry.get("Id") or "") for entry in entries]
    for id_ in ids:
        if not ENTRY_ID.fullmatch(id_):
            raise simple(
                "InvalidBatchEntryId",
                "A batch entry id can only contain alphanumeric characters, hyphens and "
                "underscores. It can be at most 80 letters long.",
            )
    for id_ in ids:
        if ids.count(id_) > 1:
            raise simple("BatchEntryIdsNotDistinct", f"Id {id_} repeated.")
