"""What makes a use case a Lambda function: decode, call, answer, log.

The broad catch of what clients cause is here. It logs and raises again: Lambda counts the error,
API Gateway tells the client, and the client sends its action again under the same id. (Timers and
the sweep have their own, so that one broken table does not hold up the others.)
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

from shared.game.refusal import Refusal
from shared.protocol.door import action_of, decode, id_of
from shared.protocol.errors import AppOutdated, UnknownAction
from shared.runtime.caller import read_caller
from shared.runtime.telemetry import count, log, log_bug
from shared.runtime.wiring import warm, world
from shared.service.admit import plays
from shared.service.refuse import RefusedAt, refuse
from shared.service.world import Caller, World

Event = Mapping[str, Any]
Handler = Callable[[Event, object], dict[str, int]]
UseCase = Callable[[World, Caller, Any], None]

DONE = {"statusCode": 200}


def answering(use_cases: Mapping[type, UseCase]) -> Handler:
    """A handler of WebSocket messages; each kind of message has its use case.

    A kind stands for those derived from it too. What no use case is for is refused.
    """

    def handler(event: Event, _context: object) -> dict[str, int]:
        started = time.perf_counter()
        text = event.get("body") or ""
        caller = read_caller(event, re=id_of(text))
        keys: dict[str, object] = {"action": action_of(text)}
        keys["refusal"] = _answer(use_cases, caller, text, keys)
        log("message", **keys, ms=round((time.perf_counter() - started) * 1000))
        return DONE

    warm()
    return handler


def _answer(
    use_cases: Mapping[type, UseCase], caller: Caller, text: str, keys: dict[str, object]
) -> str | None:
    """The code of the refusal, where it was one; `keys` are what the log will say."""
    try:
        said = decode(text)
        keys |= {name: getattr(said, name, None) for name in ("table", "game", "ply")}
        _use_case(use_cases, said)(world(), caller, said)
    except RefusedAt as at:
        return _refuse(caller, at.refusal, at)
    except Refusal as refusal:
        return _refuse(caller, refusal)
    except Exception as bug:
        log_bug(bug, **keys)
        raise
    return None


def _use_case(use_cases: Mapping[type, UseCase], said: object) -> UseCase:
    for kind in type(said).__mro__:
        if kind in use_cases:
            return use_cases[kind]
    raise UnknownAction


def _refuse(caller: Caller, refusal: Refusal, at: RefusedAt | None = None) -> str:
    refuse(world(), caller, refusal, at.table if at else None)
    count("refused", reason=refusal.code)
    if isinstance(refusal, AppOutdated) and not plays(world(), caller):
        world().posts.close(caller.connection_id)
    return refusal.code
