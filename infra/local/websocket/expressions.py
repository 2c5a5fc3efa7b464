r"""Selection expressions: how a message names its route, and its model.

Pure (fact A2): `$request.body.<path>` and `${request.body.<path>}` stand for what the message says
there, as text; a missing path is the empty text; `\$` is a plain dollar sign; the rest is static.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from infra.local.json_values import Json

PART: Final = re.compile(r"\\\$|\$\{request\.body\.([^}]+)\}|\$request\.body\.([\w.-]+)")
VARIABLE: Final = re.compile(r"(?<!\\)\$\{?([\w.-]+)")
UNDERSTOOD: Final = re.compile(r"request\.body\.[\w.-]+")


class NotJson(Exception):
    """The message is not JSON."""


def document_of(body: str) -> Json:
    """Return what the message says; raises NotJson, also for what is nested without end."""
    try:
        return json.loads(body, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise NotJson from error


def evaluate(expression: str, document: Json) -> str:
    """Return the key that the expression gives for a message."""
    return PART.sub(lambda part: _value(part, document), expression)


def strangers(expression: str) -> list[str]:
    """Return the variables of an expression that no message can give a value to."""
    found = VARIABLE.findall(expression)
    return [name for name in found if not UNDERSTOOD.fullmatch(name)]


def _value(part: re.Match[str], document: Json) -> str:
    path = part.group(1) or part.group(2)
    return "$" if path is None else _stringified(_at(document, path))


def _at(document: Json, path: str) -> Json:
    for step in path.split("."):
        if not isinstance(document, Mapping) or step not in document:
            return None
        document = document[step]
    return document


def _stringified(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _refused(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")
