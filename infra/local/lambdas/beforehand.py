"""What is done once, before workers are forked, so that none of them does it again.

Modules are imported, and the AWS SDK's descriptions of the services that are served here are read:
megabytes of JSON, which every session of the SDK reads and keeps for itself otherwise.
"""

import functools
import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from typing import Any, Final

from infra.local.lambdas.redirected import lead_here

SERVICES: Final = ("dynamodb", "apigatewaymanagementapi", "sqs")
DESCRIBES: Final = "botocore.loaders"


def prepare(modules: Sequence[str], layers: Sequence[str], *, may_change: bool) -> None:
    """Import `modules`, also from `layers`, unless what lies there `may_change` meanwhile."""
    known = list(sys.path)
    sys.path[:0] = layers
    for name in modules:
        if may_change and PathFinder.find_spec(name.partition(".")[0], list(layers)):
            continue
        try:
            importlib.import_module(name)
        except ImportError as error:
            print(f"not imported beforehand: {error}", file=sys.stderr)
    sys.path[:] = known
    if DESCRIBES in sys.modules:
        lead_here()
        _describe_services()


def _describe_services() -> None:
    """What a session reads from its package's own files is read once for all sessions."""
    import botocore.session  # noqa: PLC0415  only where it was to be imported
    from botocore.loaders import JSONFileLoader  # noqa: PLC0415  the same

    loader: Any = JSONFileLoader
    kept = functools.cache(JSONFileLoader().load_file)
    loader.load_file = lambda _, file_path: kept(file_path)
    session: Any = botocore.session.Session()
    for service in SERVICES:
        session.create_client(
            service,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",  # noqa: S106  opens nothing, and nothing is opened
        )
