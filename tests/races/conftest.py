"""Races are run by processes of their own against one engine."""

from collections.abc import Iterator

import pytest

from shared.store.models import TableNames
from tests.races.contenders import Contenders
from tests.support.ministack import ministack, table_names

__all__ = ["contenders", "ministack", "table_names"]
CONTENDERS = 3


@pytest.fixture(scope="module")
def contenders(table_names: TableNames) -> Iterator[Contenders]:
    """Three processes, ready."""
    with Contenders(table_names, CONTENDERS) as started:
        yield started
