"""The answer of the $connect authorizer: who this is, for the life of the connection.

Without a token, or with one that is not ours (any more), a new guest is made: a browser cannot
read a refused handshake. Only a page from a foreign origin is turned away.
"""

import secrets
from collections.abc import Mapping
from typing import Any

from shared.game.ids import PlayerId
from shared.gate.guests import ENTROPY_BYTES, new_player_id
from shared.gate.origins import is_allowed
from shared.gate.subprotocols import Offered, read_subprotocols
from shared.protocol.notices import choose_language
from shared.runtime.settings import settings
from shared.runtime.telemetry import log
from shared.runtime.wiring import signed_tokens

LONGEST = 32
"""Characters kept of what a client says of itself; it is repeated on every event."""


def authorize(event: Mapping[str, Any]) -> dict[str, Any]:
    """An IAM policy for the method, with the context that later events carry as strings."""
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    if not is_allowed(headers.get("origin"), settings().allowed_origins):
        log("connect", refusal="origin")
        return _policy(event, "Deny", {"playerId": "nobody"})
    offered = read_subprotocols(headers.get("sec-websocket-protocol"))
    context = _context(event.get("queryStringParameters") or {}, offered)
    return _policy(event, "Allow", context)


def _context(query: Mapping[str, str], offered: Offered | None) -> dict[str, str]:
    return {
        "playerId": _player(offered),
        "version": query.get("v", "")[:LONGEST],
        "platform": query.get("platform", "other")[:LONGEST],
        "language": choose_language(query.get("lang", "")),
        "subprotocol": "yes" if offered else "",
    }


def _player(offered: Offered | None) -> PlayerId:
    token = offered.token if offered else None
    player_id = signed_tokens().read(token) if token else None
    return player_id or new_player_id(secrets.token_bytes(ENTROPY_BYTES))


def _policy(event: Mapping[str, Any], effect: str, context: dict[str, str]) -> dict[str, Any]:
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": event["methodArn"]}
    return {
        "principalId": context["playerId"],
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": context,
    }
