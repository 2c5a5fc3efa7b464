"""Identifiers in the shapes that API Gateway, Lambda and SQS give them."""

import base64
import os
import re
import uuid
from typing import Final

GATEWAY_ID: Final = re.compile(r"[A-Za-z0-9_-]{15}=")


def gateway_id() -> str:
    """Return sixteen characters like `BFaT_fALIAMCKug=`: a connection, a message, a request."""
    return base64.urlsafe_b64encode(os.urandom(11)).decode()


def is_gateway_id(value: str) -> bool:
    """Say whether `value` has the shape of a connection id."""
    return GATEWAY_ID.fullmatch(value) is not None


def trace_id(now: int) -> str:
    """Return the value of an `X-Amzn-Trace-Id` header; it tells the second of its making."""
    return f"Root=1-{now // 1000:08x}-{os.urandom(12).hex()}"


def uuid_text() -> str:
    """Return a random UUID: Lambda request ids, SQS message ids, event ids."""
    return str(uuid.uuid4())
