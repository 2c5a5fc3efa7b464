"""Guests: players who come without a token and get an identity of their own."""

import base64

from shared.game.ids import PlayerId

ENTROPY_BYTES = 12
"""96 bits: nobody meets, or guesses, the id of somebody else."""


def new_player_id(random_bytes: bytes) -> PlayerId:
    """The id of a new player: 16 characters of URL-safe base64, of `ENTROPY_BYTES` random bytes."""
    if len(random_bytes) != ENTROPY_BYTES:
        raise ValueError(len(random_bytes))
    return PlayerId(base64.urlsafe_b64encode(random_bytes).decode())
