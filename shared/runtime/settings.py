"""The environment, read once: the only module that does."""

import os
from dataclasses import dataclass
from functools import cache

from shared.game.table import Policy


@dataclass(frozen=True, slots=True)
class Settings:
    """What a deployment is told about itself."""

    tables: str
    codes: str
    connections: str
    players: str
    limits: str
    games: str
    settings: str
    timer_queue_url: str
    connections_url: str | None
    policy: Policy
    allowed_origins: tuple[str, ...]
    is_function: bool
    """Whether this process is a Lambda function, and not a test or a build."""


@cache
def settings() -> Settings:
    """The settings of this process; a function without a variable has no use for it."""
    read = os.environ.get
    return Settings(
        tables=read("TABLES_TABLE", ""),
        codes=read("CODES_TABLE", ""),
        connections=read("CONNECTIONS_TABLE", ""),
        players=read("PLAYERS_TABLE", ""),
        limits=read("LIMITS_TABLE", ""),
        games=read("GAMES_TABLE", ""),
        settings=read("SETTINGS_TABLE", ""),
        timer_queue_url=read("TIMER_QUEUE_URL", ""),
        connections_url=_connections_url(),
        policy=Policy(
            patience_ms=int(read("PATIENCE_MS", "2000")),
            absence_ms=int(read("ABSENCE_MS", "60000")),
        ),
        allowed_origins=tuple(read("ALLOWED_ORIGINS", "*").split(",")),
        is_function="AWS_LAMBDA_FUNCTION_NAME" in os.environ,
    )


def _connections_url() -> str | None:
    """None where botocore is told the endpoint by its own variable, as on one machine."""
    if "AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI" in os.environ:
        return None
    return os.environ.get("CONNECTIONS_URL")
