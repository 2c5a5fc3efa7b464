"""Short fingerprints: of an action's id, and the name a new table gets from it."""

import base64
import hashlib

from shared.game.ids import PlayerId, TableId

DIGEST_BYTES = 6
TABLE_ID_BYTES = 12


def digest(action_id: str) -> bytes:
    """What a seat remembers of an action it has done."""
    return hashlib.sha256(action_id.encode()).digest()[:DIGEST_BYTES]


def table_id_for(player_id: PlayerId, action_id: str) -> TableId:
    """The id of the table that this intention makes: a repeated create finds its own."""
    made_of = f"table|{player_id}|{action_id}".encode()
    hashed = hashlib.sha256(made_of).digest()[:TABLE_ID_BYTES]
    return TableId(base64.urlsafe_b64encode(hashed).decode())
