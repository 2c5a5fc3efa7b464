"""The kinds of name that the game hands around: who, where, and what was said.

Each is text on the wire and in the store; the types keep them from being mixed up.
"""

from typing import NewType

PlayerId = NewType("PlayerId", str)
"""Who somebody is: 16 characters of URL-safe base64, the same on every device of a player."""
ConnectionId = NewType("ConnectionId", str)
"""One socket, as API Gateway names it; opaque."""
TableId = NewType("TableId", str)
"""Where people sit: 16 characters of URL-safe base64, derived from maker and action id."""

Uci = NewType("Uci", str)
"""A move as two squares and an optional promotion letter: ``e7e8n``."""
San = NewType("San", str)
"""A move as people write it: ``exd8=N+``."""
Fen = NewType("Fen", str)
"""A position in Forsyth-Edwards Notation."""
