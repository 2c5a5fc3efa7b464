"""Everything that the system has stored, read at once when all is over."""

from dataclasses import dataclass, field
from typing import Any

from tests.support.stored import Row, Stored

STATE = "STATE"


@dataclass(frozen=True, slots=True)
class Kept:
    """The rows by what they are about."""

    states: dict[str, Row] = field(default_factory=dict)
    players: dict[str, Row] = field(default_factory=dict)
    records: dict[tuple[str, int], Row] = field(default_factory=dict)
    histories: dict[str, list[Row]] = field(default_factory=dict)

    @classmethod
    def read(cls, stored: Stored) -> "Kept":
        """Everything there is."""
        kept = cls()
        for row in stored.rows("Tables"):
            if row["part"] == STATE:
                kept.states[row["table_id"]] = row
        for row in stored.rows("Players"):
            kept.players[row["player_id"]] = row
        for row in stored.rows("Games"):
            kind, _, rest = row["pk"].partition("#")
            if kind == "game":
                kept.records[row["table_id"], row["game"]] = row
            else:
                kept.histories.setdefault(rest, []).append(row)
        return kept

    def of_table(self, table: str | None) -> dict[str, Any]:
        """What is kept of one table, to be shown."""
        records = {key[1]: row for key, row in self.records.items() if key[0] == table}
        return {"state": self.states.get(table or ""), "records": records}
