"""Valid messages, one per action, as the dicts that a client would send; and arbitrary JSON."""

from typing import Any

from hypothesis import strategies as st

from shared.game.actions import ACTIONS
from shared.protocol.inbound import SAYINGS

ID = "Zq3vR8xT1mKd_-7a"
TABLE = "pL0sWn5cYb2fHj9u"
_IN_GAME = {"id": ID, "table": TABLE, "game": 1, "ply": 4}
_EXTRA: dict[str, dict[str, Any]] = {
    "move": {"uci": "e2e4"},
    "acceptDraw": {"v": 9},
    "declineDraw": {"v": 9},
    "acceptRematch": {"v": 9},
    "declineRematch": {"v": 9},
    "sync": {"table": TABLE, "v": 3},
    "createTable": {
        "timeControl": {"totalMs": 300_000, "perMoveMs": None, "incrementMs": 2_000},
        "colour": "white",
        "ruleset": "standard",
    },
    "joinTable": {"code": "abc-def"},
}


def valid(action: str, **changes: object) -> dict[str, Any]:
    """A message of that action, with changes."""
    common = _IN_GAME if action in ACTIONS else {"id": ID}
    return {"action": action, **common, **_EXTRA.get(action, {}), **changes}


NAMES = sorted({**ACTIONS, **SAYINGS})
VALID = {name: valid(name) for name in NAMES}

any_text = st.text(st.characters(exclude_categories=()))
"""Text with everything that Python can hold, half surrogate pairs and controls too."""
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
)
