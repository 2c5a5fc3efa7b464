"""A browser, a system whose time stands still until it is advanced, and people who come."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from infra.local.stack import Stack
from infra.tools.browser import find_browser
from tests.e2e.browser_support import chromium
from tests.support.parlour import Parlour
from tests.support.system import start


@pytest.fixture(scope="module")
def timed_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with start(tmp_path_factory.mktemp("state")) as stack:
        yield stack


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    path = find_browser()
    assert path is not None, "No Chromium runs here: `make browser` fetches one"
    with chromium(path) as browser:
        yield browser


@pytest.fixture
def parlour(timed_stack: Stack, chrome: Browser) -> Iterator[Parlour]:
    with Parlour.open(timed_stack, chrome) as parlour:
        yield parlour


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where screenshots go: TABIYA_SCREENSHOTS, where that is set."""
    folder = Path(os.environ.get("TABIYA_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
