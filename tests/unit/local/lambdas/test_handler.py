"""What a handler returns, raises, and may not return."""

import json
import os
from typing import Any

import pytest

from infra.local.lambdas.handler import MOST_RETURNED_BYTES, call
from infra.local.lambdas.output import Output
from infra.local.logs import TERMINAL


def outcome(returned: object) -> dict[str, Any]:
    """Return what the gateway is told of a handler that returns this."""
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        said = call(lambda _event, _context: returned, {}, None, Output("F", sink, TERMINAL, "/"))
    finally:
        os.close(sink)
    return dict(json.loads(said))


def test_what_is_json_is_the_value() -> None:
    assert outcome({"statusCode": 200, "body": "\ud800 and é"})["value"]["body"] == "\ud800 and é"
    assert outcome(None) == {"value": None}


def test_what_is_no_json_is_an_error() -> None:
    assert outcome({1, 2})["error"]["type"] == "TypeError"
    endless: list[Any] = []
    endless.append(endless)
    assert outcome(endless)["error"]["type"] == "ValueError"


@pytest.mark.fact("C.invoke.answer-too-large")
@pytest.mark.parametrize("letter", ["x", "é", "€"])
def test_an_answer_has_a_limit_counted_as_letters_are_written(letter: str) -> None:
    room = MOST_RETURNED_BYTES - len('""')
    fits = letter * (room // len(letter.encode()))
    assert outcome(fits) == {"value": fits}
    error = outcome(fits + letter)["error"]
    assert error["type"] == "Function.ResponseSizeTooLarge"
    assert str(MOST_RETURNED_BYTES) in error["message"]
