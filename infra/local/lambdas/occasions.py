"""What an event is about, in a few words for the log: `say of BFaT_fALIAMCKug=`."""

from collections.abc import Mapping
from typing import Any, Final

from infra.local.json_values import Json

SOURCES: Final = {"aws:sqs": "messages", "aws:dynamodb": "changes"}


def occasion(event: Json) -> str:
    """Return the words; an event of no known shape is just an event."""
    if not isinstance(event, Mapping):
        return "an event"
    context = event.get("requestContext")
    if isinstance(context, Mapping):
        return _of_an_api(event, context)
    records = event.get("Records")
    if isinstance(records, list) and records:
        return _of_records(records)
    if event.get("source") in {"aws.events", "aws.scheduler"}:
        return "a schedule"
    return "an event"


def _of_an_api(event: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    if "http" in context:
        about = context["http"]
        return f"{about.get('method')} {about.get('path')}"
    if event.get("type") == "REQUEST":
        return f"authorization of {context.get('connectionId')}"
    return f"{context.get('routeKey')} of {context.get('connectionId')}"


def _of_records(records: list[Any]) -> str:
    first = records[0] if isinstance(records[0], Mapping) else {}
    what = SOURCES.get(str(first.get("eventSource")), "records")
    where = str(first.get("eventSourceARN") or "").partition("/stream/")[0]
    name = where.replace("/", ":").rpartition(":")[2]
    return f"{len(records)} {what} of {name}" if name else f"{len(records)} {what}"
