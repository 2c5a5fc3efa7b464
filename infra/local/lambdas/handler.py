"""Loads a handler and calls it with one event: the same in worker processes and in threads.

Knows Lambda's spelling of handlers (`folder/module.function`) and of errors; what a handler
returns must be JSON.
"""

import importlib
import json
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Final

from infra.local.json_values import Json
from infra.local.lambdas.log_records import Told
from infra.local.lambdas.output import Output

Handler = Callable[[Any, Any], Any]
MOST_RETURNED_BYTES: Final = 6_291_556
TOO_LARGE: Final = (
    f"Response payload size exceeded maximum allowed payload size ({MOST_RETURNED_BYTES} bytes)."
)


def load_handler(spelling: str) -> Handler:
    """Return the handler; its folder is on the path already."""
    module, _, name = spelling.rpartition(".")
    found: Handler = getattr(importlib.import_module(module.replace("/", ".")), name)
    return found


def call(handler: Handler, event: Json, context: Json, output: Output) -> bytes:
    """Return what came of it as the JSON that the gateway reads."""
    try:
        value = handler(event, context)
        returned = json.dumps(value)
    except Exception as error:  # noqa: BLE001  whatever a handler raises is its outcome
        return failure(error, output)
    if _is_too_large(value, returned):
        output.say(Told(TOO_LARGE, "ERROR"))
        told = {"type": "Function.ResponseSizeTooLarge", "message": TOO_LARGE}
        return json.dumps({"error": told}).encode()
    return f'{{"value": {returned}}}'.encode()


def hint(error: BaseException, unbuilt: Sequence[str]) -> None:
    """Note on an import that failed which layers may have been to give it."""
    if isinstance(error, ModuleNotFoundError) and unbuilt:
        error.add_note(
            f"Not built here: {', '.join(unbuilt)}. Install what is missing into this "
            "environment, or name the folder it lies in with --layer."
        )


def failure(error: BaseException, output: Output) -> bytes:
    """Return an error as JSON, and tell it."""
    output.say_error(error)
    # The first frame is `call` or the import here: a function's own trace begins after it.
    stack = traceback.format_tb(error.__traceback__)[1:]
    told = {"type": type(error).__name__, "message": str(error), "stack": stack}
    return json.dumps({"error": told}).encode()


def _is_too_large(value: Json, returned: str) -> bool:
    # Lambda's runtime leaves letters as they are; `returned` may be longer, never shorter.
    if len(returned) <= MOST_RETURNED_BYTES:
        return False
    size = len(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    return size > MOST_RETURNED_BYTES
