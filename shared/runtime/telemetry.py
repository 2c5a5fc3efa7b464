"""One log line a request, one counter a refusal. Never a token, a secret, or a whole game."""

from threading import Lock

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

logger = Logger()
_metrics = Metrics(namespace="Tabiya")
_counting = Lock()
"""Posts are made, and fail, side by side; Powertools keeps one metric in the making for all."""


def count(name: str, *, reason: str) -> None:
    """One more of `name`, by reason."""
    with _counting:
        _metrics.add_dimension("reason", reason)
        _metrics.add_metric(name, MetricUnit.Count, 1)
        _metrics.flush_metrics()


def log(event: str, **keys: object) -> None:
    """One line: what happened and its keys; those without a value are left out."""
    logger.info(event, extra=_known(keys))


def log_bug(error: Exception, **keys: object) -> None:
    """One line with an exception that nobody expected."""
    logger.error("bug", exc_info=error, extra=_known(keys))


def _known(keys: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in keys.items() if value is not None}
