"""The JSON schemas of every message, by name, from the classes that the product itself uses.

What a class cannot say is added here: closed sets of words that are plain text on the wire, and
that the server leaves out what is null.
"""

import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, get_args

import msgspec

import shared.protocol.errors as _errors  # noqa: F401 - so that its refusals exist
from infra.tools.protocol.notes import notes
from shared.game import clock
from shared.game.actions import ACTIONS
from shared.game.events import Happened
from shared.game.outcome import Termination
from shared.game.refusal import Refusal
from shared.game.side import Side
from shared.game.table import Status
from shared.protocol import inbound, outbound
from shared.protocol.inbound import SAYINGS
from shared.protocol.outbound import Outbound

Schema = dict[str, Any]
REF = "#/components/schemas/{name}"
INBOUND: dict[str, type[msgspec.Struct]] = {**SAYINGS, **ACTIONS}
OUTBOUND: tuple[type[msgspec.Struct], ...] = get_args(Outbound)
HAPPENINGS = tuple(name.value for name in Happened if name is not Happened.MOVED)
_NOTE = re.compile(r",? \((?:D\d+|DESIGN [^)]*)\)")
"""A pointer for those who work on the server."""


def refusals() -> list[type[Refusal]]:
    """Every refusal there is, by its code."""
    return sorted(set(_subclasses(Refusal)), key=lambda kind: kind.code)


@cache
def closed_sets() -> dict[tuple[str, str], tuple[str, ...]]:
    """Fields that hold one of a few words: of which message, and which words."""
    return {
        ("ClockView", "runs"): tuple(Side),
        ("OfferView", "by"): tuple(Side),
        ("OutcomeView", "termination"): tuple(Termination),
        ("OutcomeView", "result"): ("1-0", "0-1", "1/2-1/2", "*"),
        ("OutcomeView", "winner"): tuple(Side),
        ("View", "status"): tuple(Status),
        ("View", "you"): tuple(Side),
        ("Moved", "by"): tuple(Side),
        ("Happening", "event"): HAPPENINGS,
        ("Happening", "by"): tuple(Side),
        ("Refused", "code"): tuple(kind.code for kind in refusals()),
    }


def schemas() -> dict[str, Schema]:
    """Every message, and every shape that is part of one."""
    kinds = [*INBOUND.values(), *OUTBOUND]
    _, components = msgspec.json.schema_components(kinds, ref_template=REF)
    said = notes([clock, inbound, outbound])
    for name, schema in components.items():
        schema["description"] = plain(schema.get("description", ""))
        schema["properties"] = {
            field: _described(_property(name, field, found), said.get((name, field)))
            for field, found in schema["properties"].items()
        }
    return dict(components)


def plain(docstring: str | None) -> str:
    """A docstring as one text for client developers."""
    return _NOTE.sub("", inspect.cleandoc(docstring or "")).replace("``", "`")


def words_of(schema: Schema) -> list[str]:
    """The values of the field that tells what message this is."""
    properties = schema["properties"]
    tag: Schema = properties.get("action") or properties["event"]
    return list(tag["enum"])


def _subclasses(of: type[Refusal]) -> Iterator[type[Refusal]]:
    for kind in of.__subclasses__():
        yield kind
        yield from _subclasses(kind)


def _described(schema: Schema, note: str | None) -> Schema:
    return {**schema, "description": plain(note)} if note else schema


def _property(name: str, field: str, found: Schema) -> Schema:
    kind = vars(outbound).get(name)
    is_told = kind is not None and kind.__module__ == outbound.__name__
    schema = _never_null(found) if is_told else found
    words: Iterable[str] | None = closed_sets().get((name, field))
    if words is not None:
        schema = {**schema, "enum": [str(word) for word in words]}
    if schema.get("enum") and "type" not in schema:
        schema = {"type": "string", **schema}
    return schema


def _never_null(schema: Schema) -> Schema:
    """The schema of something that is left out rather than null."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
    if not kinds:
        return schema
    rest = {key: value for key, value in schema.items() if key not in {"anyOf", "default"}}
    return {**kinds[0], **rest} if len(kinds) == 1 else {"anyOf": kinds, **rest}
