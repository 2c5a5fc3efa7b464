"""AWS clients for delivery: botocore without boto3, one session, few retries, short waits."""

from functools import cache
from typing import Any

import botocore.session
from botocore.config import Config

CONNECT_TIMEOUT_S = 1
READ_TIMEOUT_S = 2
POSTS_AT_ONCE = 16


@cache
def client(service: str, endpoint_url: str | None = None) -> Any:  # noqa: ANN401 - botocore makes its clients at run time
    """The client of an AWS service; without an endpoint, the one botocore is configured for."""
    config = Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=READ_TIMEOUT_S,
        max_pool_connections=POSTS_AT_ONCE,
        retries={"total_max_attempts": 3, "mode": "standard"},
    )
    return _session().create_client(service, endpoint_url=endpoint_url, config=config)


@cache
def _session() -> botocore.session.Session:
    return botocore.session.get_session()
