"""In which order posts reach one client: AWS promises none (fact A5), so it is a switch.

Shuffled, what is posted within a moment arrives in another order; the poster has his answer before.
"""

import asyncio
from typing import Final

from infra.local.faults import Chance
from infra.local.timing.quiet import Quiet
from infra.local.websocket.session import Session

# Real time: how long one post is held so that others may overtake it.
MOMENT_S: Final = 0.05


class Posts:
    """What has been posted and is not yet sent."""

    def __init__(self, chance: Chance, quiet: Quiet) -> None:
        self._chance = chance
        self._quiet = quiet
        self._held: dict[Session, list[bytes]] = {}

    def send(self, session: Session, payload: bytes) -> None:
        """Send it now, or in a moment with those that come meanwhile."""
        if session in self._held:
            self._held[session].append(payload)
        elif self._chance.faults.posts == "kept":
            session.send_text(payload)
        else:
            self._held[session] = [payload]
            self._quiet.enter()
            asyncio.get_running_loop().call_later(MOMENT_S, self._release, session)

    def flush(self, session: Session) -> None:
        """Send what is held for a client, before it is closed."""
        for payload in self._chance.order("posts", self._held.get(session, [])):
            session.send_text(payload)
        self._held.pop(session, None)

    def _release(self, session: Session) -> None:
        self.flush(session)
        self._quiet.leave()
