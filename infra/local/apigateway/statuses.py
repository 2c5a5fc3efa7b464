"""Which status codes of a function API Gateway takes for one."""

from typing import Final

from infra.local.json_values import Json

# One below would not be the last word: the client would wait for another.
LOWEST_STATUS: Final = 200
HIGHEST_STATUS: Final = 599


def read_status(value: Json) -> int | None:
    """Return a `statusCode` as a number; None when it is none. Digits in a text are taken."""
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if LOWEST_STATUS <= value <= HIGHEST_STATUS else None
