"""Identity tokens: a player's id and a signature, so that the same player comes back.

The alphabet is legal in a Sec-WebSocket-Protocol value (RFC 7230 token). Keys rotate: the newest
signs, all verify. Where the keys are kept is not known here.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import Protocol

from itsdangerous import BadSignature, Signer

from shared.game.ids import PlayerId

_SALT = b"tabiya.player"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{43}")
"""A player id and HMAC-SHA-256 in base64. Anything else is not even checked."""


class SigningKeys(Protocol):
    """The keys in force, the oldest first, at least one."""

    def __call__(self) -> Sequence[bytes]:
        """The keys as they are now."""
        ...


class SignedTokens:
    """Tokens signed with rotating keys."""

    def __init__(self, keys: SigningKeys) -> None:
        """Go by these keys, asked for anew each time."""
        self._keys = keys

    def sign(self, player_id: PlayerId) -> str:
        """A token that says who the player is, signed with the newest key."""
        return self._signer().sign(player_id).decode()

    def read(self, token: str) -> PlayerId | None:
        """The player whose token this is; None if it is not one that was signed here."""
        if not _TOKEN.fullmatch(token):
            return None
        try:
            return PlayerId(self._signer().unsign(token).decode())
        except BadSignature:
            return None

    def _signer(self) -> Signer:
        return Signer(list(self._keys()), salt=_SALT, digest_method=hashlib.sha256)
