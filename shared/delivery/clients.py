"""AWS clients for delivery: botocore without boto3, one session, few attempts, short waits.

What is not delivered is made good: posts by the next sync, timers by the sweep. So nobody waits
long for either; a timer is sent before the players are told of what was written.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import botocore.session
from botocore.config import Config

POSTS_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one service is waited for (s), and how often it is asked."""

    connect_s: int
    read_s: int
    attempts: int


PATIENCE = {
    "apigatewaymanagementapi": Patience(connect_s=1, read_s=2, attempts=2),
    "sqs": Patience(connect_s=1, read_s=1, attempts=2),
}


@cache
def client(service: str, endpoint_url: str | None = None) -> Any:  # noqa: ANN401 - botocore makes its clients at run time
    """The client of an AWS service; without an endpoint, the one botocore is configured for."""
    patience = PATIENCE[service]
    config = Config(
        connect_timeout=patience.connect_s,
        read_timeout=patience.read_s,
        max_pool_connections=POSTS_AT_ONCE,
        retries={"total_max_attempts": patience.attempts, "mode": "standard"},
    )
    return _session().create_client(service, endpoint_url=endpoint_url, config=config)


@cache
def _session() -> botocore.session.Session:
    return botocore.session.get_session()
