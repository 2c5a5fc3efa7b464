"""Receipt handles: opaque, and one for each receive of each message of each queue."""

import base64

from infra.local.ids import uuid_text
from infra.local.sources.sqs_errors import SqsError


def new_receipt(message_id: str, queue_arn: str) -> str:
    """Return a handle that no other receive of the message has."""
    return base64.b64encode(f"{uuid_text()} {message_id} {queue_arn}".encode()).decode()


def message_id_of(receipt: str, queue_arn: str) -> str:
    """Return whose receipt it is; raises SqsError for what this queue never handed out."""
    try:
        _, message_id, arn = base64.b64decode(receipt, validate=True).decode().split(" ")
    except ValueError:
        arn = message_id = ""
    if arn != queue_arn:
        words = f'The input receipt handle "{receipt}" is not a valid receipt handle.'
        raise SqsError("ReceiptHandleIsInvalid", words)
    return message_id
