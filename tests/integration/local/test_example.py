"""The example runs as its README says: two people talk, one leaves and is forgotten."""

import asyncio
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from infra.local.stack import ROOT, Stack
from tests.integration.local.conftest import ear

EXAMPLE = ROOT / "examples/chat"


def told_options() -> dict[str, str]:
    """Return the options of the command in the README."""
    readme = (EXAMPLE / "README.md").read_text()
    found = re.search(r"^\.venv/bin/python -m infra\.local (.*)$", readme, re.MULTILINE)
    assert found is not None
    words = shlex.split(found.group(1))
    return dict(zip(words[::2], words[1::2], strict=True))


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    options = told_options()
    assert set(options) == {"--template", "--static", "--state"}
    with Stack.start(
        template=ROOT / options["--template"],
        static=ROOT / options["--static"],
        state=tmp_path_factory.mktemp("example"),
    ) as running:
        yield running


async def test_what_one_says_the_other_hears(stack: Stack, http: aiohttp.ClientSession) -> None:
    where = stack.websocket_url
    async with http.ws_connect(f"{where}?name=ann") as ann, http.ws_connect(where) as ben:
        for speaker, name in ((ann, "ann"), (ben, "somebody")):
            await speaker.send_json({"action": "say", "text": f"hello from {name}"})
            for listener in (ann, ben):
                heard = await listener.receive_json(timeout=30)
                assert heard == {"from": name, "text": f"hello from {name}"}


async def test_who_left_is_forgotten(stack: Stack, http: aiohttp.ClientSession) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as ann:
        async with http.ws_connect(f"{stack.websocket_url}?name=ben"):
            pass
        await stack.settle_async()
        posts = stack.metrics()["posts"]
        async with ear(ann) as heard:
            await ann.send_json({"action": "say", "text": "anybody?"})
            await stack.settle_async()
    assert [said["text"] for said in heard] == ["anybody?"]
    assert stack.metrics()["posts"] == posts + 1


async def test_the_page_finds_the_socket(stack: Stack, http: aiohttp.ClientSession) -> None:
    async with http.get(stack.url) as page, http.get(f"{stack.url}/config.json") as config:
        assert "<title>Chat</title>" in await page.text()
        assert await config.json() == {"websocket": "/live"}


def test_nothing_is_wrong_at_the_terminal(stack: Stack) -> None:
    assert stack.log.read_text() == ""


def test_it_is_as_short_as_it_says() -> None:
    """Its point is how little there is to it."""
    resources = (EXAMPLE / "template.yaml").read_text().partition("Resources:")[2]
    assert len(resources.partition("Outputs:")[0].strip().splitlines()) <= 30
    assert len((EXAMPLE / "code/chat.py").read_text().splitlines()) <= 50


async def test_it_runs_reloading_and_in_process_too(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    with Stack.start(
        template=EXAMPLE / "template.yaml",
        state=tmp_path,
        arguments=["--reload", "--in-process", "--verbose"],
    ) as running:
        async with http.ws_connect(f"{running.websocket_url}?name=ann") as ann:
            await ann.send_json({"action": "say", "text": "hello"})
            heard = await asyncio.wait_for(ann.receive_json(), 30)
        assert heard == {"from": "ann", "text": "hello"}
