"""The DynamoDB tables as PynamoDB models: their keys, their index, and what conditions name.

Which DynamoDB tables these are is said once, by `bind`; endpoint, region and credentials are
botocore's own business (AWS_ENDPOINT_URL_DYNAMODB, AWS_DEFAULT_REGION). All models share one
client: making a client costs more than a move. The attributes of STATE are named in state_item.
"""

from dataclasses import dataclass

from pynamodb.attributes import (
    BinaryAttribute,
    BooleanAttribute,
    NumberAttribute,
    UnicodeAttribute,
)
from pynamodb.connection import TableConnection
from pynamodb.indexes import GlobalSecondaryIndex, KeysOnlyProjection
from pynamodb.models import Model

from shared.store.reach import Reach

STATE = "STATE"
META = "META"


class _Named:
    """What is the same for all; how DynamoDB is reached, the one client says."""

    table_name = ""


class DueIndex(GlobalSecondaryIndex["TableRow"]):  # type: ignore[no-untyped-call] # untyped there
    """The tables with an armed timer, by when the sweep should look at them."""

    class Meta:  # noqa: D106 - PynamoDB's way of naming things
        index_name = "due"
        projection = KeysOnlyProjection()

    due_shard = UnicodeAttribute(hash_key=True)
    due_at = NumberAttribute(range_key=True)


class TableRow(Model):
    """STATE and META of a table."""

    class Meta(_Named):  # noqa: D106
        pass

    table_id = UnicodeAttribute(hash_key=True)
    part = UnicodeAttribute(range_key=True)
    rev = NumberAttribute(null=True)
    code = UnicodeAttribute(null=True)
    link_secret = UnicodeAttribute(null=True)
    created_at = NumberAttribute(null=True)
    expires_at = NumberAttribute(null=True)
    due = DueIndex()


class CodeRow(Model):
    """A code in use; `until` in epoch ms, `expires_at` (seconds) only lets DynamoDB clean up."""

    class Meta(_Named):  # noqa: D106
        pass

    code = UnicodeAttribute(hash_key=True)
    table_id = UnicodeAttribute()
    is_taken = BooleanAttribute()
    until = NumberAttribute()
    expires_at = NumberAttribute()


class ConnectionRow(Model):
    """A connection, or with `closed_at` the tombstone of one."""

    class Meta(_Named):  # noqa: D106
        pass

    player_id = UnicodeAttribute(hash_key=True)
    connection_id = UnicodeAttribute(range_key=True)
    version = UnicodeAttribute(null=True)
    platform = UnicodeAttribute(null=True)
    language = UnicodeAttribute(null=True)
    opened_at = NumberAttribute(null=True)
    closed_at = NumberAttribute(null=True)
    table_id = UnicodeAttribute(null=True)
    expires_at = NumberAttribute(null=True)


class PlayerRow(Model):
    """A player: the one seat held now, the last table, and totals per ruleset (see seats)."""

    class Meta(_Named):  # noqa: D106
        pass

    player_id = UnicodeAttribute(hash_key=True)
    seat = UnicodeAttribute(null=True)
    last_table = UnicodeAttribute(null=True)
    last_table_until = NumberAttribute(null=True)
    games = NumberAttribute(null=True)


class LimitRow(Model):
    """A counter of one subject in one window."""

    class Meta(_Named):  # noqa: D106
        pass

    subject = UnicodeAttribute(hash_key=True)
    n = NumberAttribute(null=True)
    expires_at = NumberAttribute(null=True)


class GameRow(Model):
    """A finished game, kept for good."""

    class Meta(_Named):  # noqa: D106
        pass

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    table_id = UnicodeAttribute()
    game = NumberAttribute()
    ruleset = UnicodeAttribute()
    white = UnicodeAttribute()
    black = UnicodeAttribute()
    result = UnicodeAttribute()
    winner = UnicodeAttribute(null=True)
    termination = UnicodeAttribute()
    began_at = NumberAttribute()
    ended_at = NumberAttribute()
    total_ms = NumberAttribute(null=True)
    per_move_ms = NumberAttribute(null=True)
    increment_ms = NumberAttribute()
    white_ms = NumberAttribute(null=True)
    black_ms = NumberAttribute(null=True)
    moves = BinaryAttribute(legacy_encoding=False, null=True)
    thinks = BinaryAttribute(legacy_encoding=False, null=True)
    secret = BinaryAttribute(legacy_encoding=False, null=True)


class HistoryRow(Model):
    """One line of a player's history, in the DynamoDB table of the games."""

    class Meta(_Named):  # noqa: D106
        pass

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    table_id = UnicodeAttribute()
    game = NumberAttribute()
    ruleset = UnicodeAttribute()
    side = UnicodeAttribute()
    opponent = UnicodeAttribute()
    result = UnicodeAttribute()
    termination = UnicodeAttribute()
    ended_at = NumberAttribute()


class SettingRow(Model):
    """A live setting: its name, and its value as JSON."""

    class Meta(_Named):  # noqa: D106
        pass

    name = UnicodeAttribute(hash_key=True)
    value = UnicodeAttribute()


@dataclass(frozen=True, slots=True)
class TableNames:
    """What the DynamoDB tables are called."""

    tables: str
    codes: str
    connections: str
    players: str
    limits: str
    games: str
    settings: str


def bind(names: TableNames) -> Reach:
    """The one client, ready; every model is bound to its DynamoDB table from now on."""
    shared = Reach(state_table=names.tables)
    for model, name in _named(names):
        model.Meta.table_name = name
        table = table_of(model)
        if model is not HistoryRow:
            shared.add_meta_table(table.connection.get_meta_table(name))
        table.connection = shared
    _ = shared.client  # made now, while a starting Lambda has a whole processor
    return shared


def table_of(model: type[Model]) -> TableConnection:
    """The connection through which a model's DynamoDB table is reached."""
    return model._get_connection()  # noqa: SLF001 - Model's own methods cost a model object a call


def _named(names: TableNames) -> tuple[tuple[type[Model], str], ...]:
    return (
        (TableRow, names.tables),
        (CodeRow, names.codes),
        (ConnectionRow, names.connections),
        (PlayerRow, names.players),
        (LimitRow, names.limits),
        (GameRow, names.games),
        (HistoryRow, names.games),
        (SettingRow, names.settings),
    )
