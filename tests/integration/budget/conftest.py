"""The functions on a real engine, new tables for each scene."""

from collections.abc import Iterator

import pytest

from tests.support.in_process import Rig, running
from tests.support.ministack import make_tables, ministack

__all__ = ["ministack"]


@pytest.fixture
def rig(ministack: str) -> Iterator[Rig]:
    with running(make_tables(ministack)) as rig:
        yield rig
