"""The reference for client developers: every action, event and refusal, with an example each."""

import json
from collections.abc import Iterator

import msgspec

from infra.tools.protocol.examples import as_json, said, told
from infra.tools.protocol.schemas import Schema, plain, refusals, schemas, words_of
from infra.tools.protocol.typescript import type_of
from shared.game.refusal import Refusal

_HEAD = """\
# Reference

Generated; do not edit. How it all works together is in [README.md](README.md).
"""


def reference_text() -> str:
    """The document, as Markdown."""
    found = schemas()
    actions = {type(message).__name__: message for message in said().values()}
    events = told()
    shapes = sorted(set(found) - set(actions) - set(events))
    return "\n".join(
        [
            _HEAD,
            *_index(actions, events),
            "## Actions\n",
            *(_section(found[name], message) for name, message in actions.items()),
            "## Events\n",
            *(_section(found[name], message) for name, message in events.items()),
            "## Shapes within messages\n",
            *(_shape(name, found[name]) for name in shapes),
            *_refusals(),
        ]
    )


def _index(*groups: dict[str, msgspec.Struct]) -> Iterator[str]:
    found = schemas()
    for title, group in zip(("actions", "events"), groups, strict=True):
        names = [f"`{word}`" for name in group for word in words_of(found[name])]
        yield f"- {title}: {', '.join(names)}"
    yield f"- refusals: {', '.join(f'`{kind.code}`' for kind in refusals())}\n"


def _section(schema: Schema, message: msgspec.Struct) -> str:
    title = ", ".join(words_of(schema))
    example = json.dumps(as_json(message), ensure_ascii=False)
    return f"### {title}\n\n{_body(schema)}\n```json\n{example}\n```\n"


def _shape(name: str, schema: Schema) -> str:
    return f"### {name}\n\n{_body(schema)}"


def _body(schema: Schema) -> str:
    required = set(schema.get("required", []))
    rows = [_row(name, field, name in required) for name, field in schema["properties"].items()]
    table = "\n".join(["| field | holds | |", "|---|---|---|", *rows])
    return f"{schema['description']}\n\n{table}\n"


def _row(name: str, schema: Schema, is_required: bool) -> str:  # noqa: FBT001 - a column of the table
    holds = type_of(schema).replace("|", "\\|")
    about = [schema.get("description", ""), "" if is_required else _default(schema)]
    return f"| `{name}` | `{holds}` | {' '.join(filter(None, [*about, _limits(schema)]))} |"


def _default(schema: Schema) -> str:
    if "default" not in schema:
        return "May be absent."
    return f"Default `{json.dumps(schema['default'])}`."


def _limits(schema: Schema) -> str:
    words = {"minimum": "From {}", "maximum": "to {}.", "maxLength": "At most {} characters."}
    found = [words[key].format(f"{schema[key]:,}") for key in words if key in schema]
    if "pattern" in schema:
        found.append(f"`{schema['pattern']}`.")
    return " ".join(found)


def _refusals() -> Iterator[str]:
    yield "## Refusals\n"
    yield "`view`: the answer shows the table as it stands, where the asker sits at it.\n"
    yield "| code | means | |"
    yield "|---|---|---|"
    yield from (_refusal(kind) for kind in refusals())
    yield ""


def _refusal(kind: type[Refusal]) -> str:
    means = " ".join(plain(kind.__doc__).split())
    return f"| `{kind.code}` | {means} | {'`view`' if kind.shows_table else ''} |"
