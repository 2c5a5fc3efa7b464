"""What a sender may put into a message: characters, sizes, attributes, groups.

Pure. Reads one SendMessage (or one entry of a batch) into an `Outgoing`; raises SqsError in the
words of SQS for what it refuses.
"""

import binascii
import re
from collections.abc import Mapping
from typing import Any, Final

from infra.local.sources.messages import BINARY, Outgoing, attribute_value
from infra.local.sources.parameters import number, text
from infra.local.sources.queue_specs import LONGEST_DELAY_S, QueueSpec
from infra.local.sources.sqs_errors import SqsError, invalid, invalid_value, missing

ALLOWED: Final = re.compile(r"[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
ATTRIBUTE_NAME: Final = re.compile(r"(?!\.)(?!.*\.\.)(?!.*\.$)[A-Za-z0-9_.-]{1,256}")
RESERVED: Final = ("aws.", "amazon.")
DATA_TYPE: Final = re.compile(r"(String|Number|Binary)(\..*)?", re.DOTALL)
LONGEST_DATA_TYPE: Final = 256
MOST_ATTRIBUTES: Final = 10
ID: Final = re.compile(r"[!-~]{1,128}")
NOT_OF_THIS_TYPE: Final = "The request include parameter that is not valid for this queue type."


def read_content(parameters: Mapping[str, Any], spec: QueueSpec, traced: str | None) -> Outgoing:
    """Return what is sent; `traced` is the trace header of the request that sends it."""
    body = text(parameters, "MessageBody")
    if not body:
        raise missing("MessageBody")
    _check_characters(body)
    attributes = _attributes(parameters)
    if size(parameters) > spec.most_bytes:
        raise invalid(
            "One or more parameters are invalid. Reason: Message must be shorter than "
            f"{spec.most_bytes} bytes."
        )
    delay_s = number(parameters, "DelaySeconds", range(LONGEST_DELAY_S + 1))
    if spec.is_fifo and delay_s:
        raise invalid_value(delay_s, "DelaySeconds", NOT_OF_THIS_TYPE)
    return Outgoing(
        body=body,
        attributes=attributes,
        delay_s=None if spec.is_fifo else delay_s,
        group_id=_group_id(parameters, spec),
        deduplication_id=_deduplication_id(parameters, spec),
        trace_header=_trace_header(parameters) or traced,
    )


def size(parameters: Mapping[str, Any]) -> int:
    """Return how many bytes count: the body, and name, type and value of each attribute."""
    attributes = parameters.get("MessageAttributes") or {}
    counted = sum(
        len(name.encode()) + len(str(one["DataType"]).encode()) + len(attribute_value(one)[1])
        for name, one in attributes.items()
    )
    return len(str(parameters.get("MessageBody") or "").encode()) + counted


def check_group(parameters: Mapping[str, Any], spec: QueueSpec) -> None:
    """Raise SqsError for what a FIFO queue wants of every message and this one lacks."""
    if not spec.is_fifo:
        return
    if not parameters.get("MessageDeduplicationId") and not spec.deduplicates_by_content:
        raise invalid(
            "The queue should either have ContentBasedDeduplication enabled or "
            "MessageDeduplicationId provided explicitly"
        )
    if not parameters.get("MessageGroupId"):
        raise invalid("The request must contain the parameter MessageGroupId.")


def _check_characters(value: str) -> None:
    if not ALLOWED.fullmatch(value):
        raise SqsError(
            "InvalidMessageContents",
            "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to "
            "#xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF",
        )


def _group_id(parameters: Mapping[str, Any], spec: QueueSpec) -> str | None:
    check_group(parameters, spec)
    group_id = text(parameters, "MessageGroupId")
    if group_id is not None and not ID.fullmatch(group_id):
        raise invalid_value(group_id, "MessageGroupId", _id_reason("MessageGroupId"))
    return group_id


def _deduplication_id(parameters: Mapping[str, Any], spec: QueueSpec) -> str | None:
    given = text(parameters, "MessageDeduplicationId")
    if given is None:
        return None
    if not spec.is_fifo:
        raise invalid_value(given, "MessageDeduplicationId", NOT_OF_THIS_TYPE)
    if not ID.fullmatch(given):
        raise invalid_value(given, "MessageDeduplicationId", _id_reason("MessageDeduplicationId"))
    return given


def _id_reason(name: str) -> str:
    return f"{name} can only include alphanumeric and punctuation characters. 1 to 128 in length."


def _trace_header(parameters: Mapping[str, Any]) -> str | None:
    given = parameters.get("MessageSystemAttributes") or {}
    for name in given:
        if name != "AWSTraceHeader":
            raise invalid(f"Message system attribute name '{name}' is invalid.")
    value = given.get("AWSTraceHeader", {}).get("StringValue")
    return None if value is None else str(value)


def _attributes(parameters: Mapping[str, Any]) -> dict[str, Any]:
    attributes = parameters.get("MessageAttributes") or {}
    if len(attributes) > MOST_ATTRIBUTES:
        raise invalid(
            f"Number of message attributes [{len(attributes)}] exceeds the allowed maximum "
            f"[{MOST_ATTRIBUTES}]."
        )
    return {name: _attribute(name, one) for name, one in attributes.items()}


def _attribute(name: str, attribute: Mapping[str, Any]) -> dict[str, Any]:
    if not ATTRIBUTE_NAME.fullmatch(name) or name.lower().startswith(RESERVED):
        raise invalid(f"Message (user) attribute name '{name}' is invalid.")
    data_type = str(attribute.get("DataType") or "")
    if not data_type:
        raise invalid(
            f"The message attribute '{name}' must contain a non-empty message attribute type."
        )
    if not DATA_TYPE.fullmatch(data_type) or len(data_type) > LONGEST_DATA_TYPE:
        raise invalid(
            f"The type of message (user) attribute '{name}' is invalid. You must use only the "
            "following supported type prefixes: Binary, Number, String."
        )
    kind, value = _value(name, attribute)
    if not value:
        raise invalid(
            f"The message attribute '{name}' must contain a non-empty message attribute value "
            f"for message attribute type '{data_type}'."
        )
    if kind == BINARY:
        return {"BinaryValue": attribute["BinaryValue"], "DataType": data_type}
    _check_characters(value.decode())
    if data_type.startswith("Number"):
        _check_number(name, value.decode())
    return {"StringValue": attribute["StringValue"], "DataType": data_type}


def _value(name: str, attribute: Mapping[str, Any]) -> tuple[bytes, bytes]:
    try:
        return attribute_value(attribute)
    except binascii.Error:
        raise invalid(f"The value of message (user) attribute '{name}' is not base64.") from None


def _check_number(name: str, value: str) -> None:
    try:
        float(value)
    except ValueError:
        raise invalid(
            f"Can't cast the value of message (user) attribute '{name}' to a number."
        ) from None
