"""The authorizer of $connect: who is this, or a new guest."""

from collections.abc import Mapping
from typing import Any

from shared.runtime.authorize import authorize


def handler(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
    """A policy for this method, and the identity that later events repeat."""
    return authorize(event)
