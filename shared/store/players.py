"""The players: the seat held now and the last table, read for whoever says hello."""

from shared.game.ids import PlayerId, TableId
from shared.service.ports import PlayerRecord
from shared.store.models import PlayerRow, table_of
from shared.store.values import read_count, read_text


class Players:
    """The players, as the port wants them."""

    def get(self, player_id: PlayerId) -> PlayerRecord | None:
        """The player, if he ever sat anywhere."""
        item = table_of(PlayerRow).get_item(player_id, consistent_read=True).get("Item")
        if item is None:
            return None
        seat, last_table = read_text(item, "seat"), read_text(item, "last_table")
        return PlayerRecord(
            player_id=player_id,
            seat=None if seat is None else TableId(seat),
            last_table=None if last_table is None else TableId(last_table),
            last_table_until=read_count(item, "last_table_until"),
        )
