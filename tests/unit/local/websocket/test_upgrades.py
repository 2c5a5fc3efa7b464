"""What a request must have to become a WebSocket (RFC 6455, 4.2.1)."""

import pytest
from multidict import CIMultiDict

from infra.local.websocket.upgrades import refused_upgrade

SAID = {
    "Connection": "keep-alive, Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


def status(method: str = "GET", **changed: str | None) -> int | None:
    """Return the status of the refusal of a handshake with these changes, if it is refused."""
    headers = {**SAID, **{name.replace("_", "-"): value for name, value in changed.items()}}
    said = CIMultiDict((name, value) for name, value in headers.items() if value is not None)
    refused = refused_upgrade(method, said)
    return None if refused is None else refused.status


def test_a_whole_handshake_is_let_through() -> None:
    assert status() is None
    assert status(Connection="upgrade") is None


@pytest.mark.parametrize("version", [None, "8", "13, 8"])
def test_another_version_is_told_which_one_is_spoken(version: str | None) -> None:
    assert status(Sec_WebSocket_Version=version) == 426
    refused = refused_upgrade("GET", CIMultiDict({"Sec-WebSocket-Version": "8"}))
    assert refused is not None
    assert refused.headers["Sec-WebSocket-Version"] == "13"


@pytest.mark.parametrize("key", [None, "", "short", "dGhlIHNhbXBsZSBub25jZQ", "A" * 24 + "===="])
def test_a_key_is_sixteen_bytes_in_base64(key: str | None) -> None:
    assert status(Sec_WebSocket_Key=key) == 400


@pytest.mark.parametrize("connection", [None, "keep-alive", "upgraded"])
def test_connection_must_say_upgrade(connection: str | None) -> None:
    assert status(Connection=connection) == 400


def test_only_get_begins_a_websocket() -> None:
    assert status("POST") == 405
