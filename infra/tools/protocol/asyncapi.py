"""The AsyncAPI 3 document: the protocol as a machine reads it."""

import json
from typing import Any

import msgspec

from infra.tools.protocol.examples import as_json, said, told
from infra.tools.protocol.schemas import INBOUND, OUTBOUND, REF, Schema, schemas
from shared.gate.subprotocols import SUBPROTOCOL
from shared.gate.versions import PLATFORMS

_VERSION = "1.0.0"
"""Of the protocol: its first number is that of the sub-protocol."""


def asyncapi_text() -> str:
    """The document, as JSON."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


def document() -> dict[str, Any]:
    """The document."""
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Tabiya",
            "version": _VERSION,
            "description": "Chess with other people over one WebSocket. Generated; do not edit.",
            "license": {"name": "GPL-3.0-or-later"},
        },
        "defaultContentType": "application/json",
        "servers": _servers(),
        "channels": {"live": _channel()},
        "operations": {
            "say": _operation("receive", "What a client says.", list(INBOUND.values())),
            "tell": _operation("send", "What the server says.", list(OUTBOUND)),
        },
        "components": {"messages": _messages(), "schemas": schemas()},
    }


def _servers() -> dict[str, Any]:
    return {
        "aws": {
            "host": "{api}.execute-api.{region}.amazonaws.com",
            "pathname": "/live",
            "protocol": "wss",
            "description": "A deployment; its address is an output of the stack.",
            "variables": {
                "api": {"description": "The id of the WebSocket API."},
                "region": {"default": "eu-west-1"},
            },
        },
        "local": {
            "host": "localhost:8080",
            "pathname": "/live",
            "protocol": "ws",
            "description": "What `make run` starts.",
        },
    }


def _channel() -> dict[str, Any]:
    names = [kind.__name__ for kind in (*INBOUND.values(), *OUTBOUND)]
    return {
        "address": "/",
        "title": "The connection",
        "description": f"Sub-protocol `{SUBPROTOCOL}`; behind it, as a second value, the token.",
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
        "bindings": {"ws": {"method": "GET", "query": _query(), "bindingVersion": "0.1.0"}},
    }


def _query() -> Schema:
    return {
        "type": "object",
        "properties": {
            "v": {"type": "string", "description": "The version of the app: 1.4.0"},
            "platform": {"type": "string", "enum": sorted(PLATFORMS)},
            "lang": {"type": "string", "description": "The language of notices: nl, et, en-GB"},
        },
    }


def _operation(action: str, summary: str, kinds: list[type[msgspec.Struct]]) -> dict[str, Any]:
    return {
        "action": action,
        "channel": {"$ref": "#/channels/live"},
        "summary": summary,
        "messages": [{"$ref": f"#/channels/live/messages/{kind.__name__}"} for kind in kinds],
    }


def _messages() -> dict[str, Any]:
    by_class = {type(message).__name__: message for message in said().values()} | told()
    return {name: _message(name, message) for name, message in by_class.items()}


def _message(name: str, message: msgspec.Struct) -> dict[str, Any]:
    fields = as_json(message)
    return {
        "name": fields.get("action") or fields.get("event"),
        "title": name,
        "payload": {"$ref": REF.format(name=name)},
        "examples": [{"payload": fields}],
    }
