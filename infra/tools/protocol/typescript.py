"""TypeScript types of the messages, made from the same JSON schemas as everything else here."""

import json
from collections.abc import Iterator

from infra.tools.protocol.schemas import INBOUND, OUTBOUND, Schema, schemas

_HEAD = """\
// The messages of Tabiya, sub-protocol tabiya.v1. Generated; do not edit.
// An optional field that the server left out is at its default, or does not apply.
"""
_GATEWAY = """\
/** What API Gateway itself sends when the server failed to answer: say it again, same `id`. */
export interface GatewayError {
  message: string;
  connectionId?: string;
  requestId?: string;
  event?: undefined;
}
"""
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
_PLAIN |= {"null": "null"}


def typescript_text() -> str:
    """The declaration file."""
    interfaces = [_interface(name, schema) for name, schema in schemas().items()]
    said = _union("ClientMessage", [kind.__name__ for kind in INBOUND.values()])
    told = _union("ServerMessage", [kind.__name__ for kind in OUTBOUND])
    frames = _union("Frame", ["ServerMessage", "GatewayError"])
    return "\n".join([_HEAD, *interfaces, _GATEWAY, said, told, frames])


def _union(name: str, members: list[str]) -> str:
    return f"export type {name} =\n" + "\n".join(f"  | {member}" for member in members) + ";\n"


def _interface(name: str, schema: Schema) -> str:
    required = set(schema.get("required", []))
    return "\n".join(
        [
            *_comment(schema["description"], ""),
            f"export interface {name} {{",
            *_fields(schema["properties"], required),
            "}",
            "",
        ]
    )


def _fields(properties: dict[str, Schema], required: set[str]) -> Iterator[str]:
    for name, schema in properties.items():
        about = [schema["description"]] if "description" in schema else []
        if "default" in schema:
            about.append(f"Default: {json.dumps(schema['default'])}")
        if about:
            yield from _comment("\n".join(about), "  ")
        yield f"  {name}{'' if name in required else '?'}: {type_of(schema)};"


def type_of(schema: Schema) -> str:
    """The schema as a TypeScript type."""
    match schema:
        case {"$ref": str(reference)}:
            return reference.rpartition("/")[2]
        case {"enum": [*words]}:
            return " | ".join(json.dumps(word) for word in words)
        case {"anyOf": [*kinds]}:
            return " | ".join(type_of(kind) for kind in kinds)
        case {"type": "array", "items": items}:
            return f"Array<{type_of(items)}>"
        case {"type": "object", "additionalProperties": values}:
            return f"Record<string, {type_of(values)}>"
        case {"type": [*names]}:
            return " | ".join(_PLAIN[name] for name in names)
        case {"type": str(name)}:
            return _PLAIN[name]
        case _:
            raise ValueError(schema)


def _comment(text: str, indent: str) -> Iterator[str]:
    lines = text.splitlines()
    if len(lines) == 1:
        yield f"{indent}/** {lines[0]} */"
        return
    yield f"{indent}/**"
    yield from (f"{indent} * {line}".rstrip() for line in lines)
    yield f"{indent} */"
