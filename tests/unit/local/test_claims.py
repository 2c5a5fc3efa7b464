"""Ports and folders that are held, and what is told when they cannot be."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.claims import CannotStart, claim_port, claim_state

HAS_V6 = socket.has_ipv6 and bool(Path("/proc/net/if_inet6").exists())


@pytest.fixture
def listening() -> Iterator[list[socket.socket]]:
    sockets: list[socket.socket] = []
    yield sockets
    for one in sockets:
        one.close()


def test_a_host_that_is_this_machine_is_one_socket(listening: list[socket.socket]) -> None:
    listening += claim_port("localhost", 0)
    assert [one.getsockname()[0] for one in listening] == ["127.0.0.1"]


@pytest.mark.skipif(not HAS_V6, reason="this machine has no IPv6")
@pytest.mark.parametrize(("host", "also"), [("::", "0.0.0.0"), ("::1", "127.0.0.1")])  # noqa: S104  what is asked for
def test_functions_reach_it_at_the_same_port_whatever_the_host(
    listening: list[socket.socket], host: str, also: str
) -> None:
    listening += claim_port(host, 0)
    first, second = (one.getsockname()[:2] for one in listening)
    assert (first[0], second[0]) == (host, also)
    assert first[1] == second[1]


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_that_cannot_be_is_told(port: int) -> None:
    with pytest.raises(CannotStart, match="There is no port"):
        claim_port("127.0.0.1", port)


@pytest.mark.parametrize("host", ["not a host", "x" * 70])
def test_a_host_that_is_not_there_is_told(host: str) -> None:
    with pytest.raises(CannotStart, match="There is no host"):
        claim_port(host, 0)


def test_a_port_in_use_is_told(listening: list[socket.socket]) -> None:
    listening += claim_port("127.0.0.1", 0)
    port = listening[0].getsockname()[1]
    with pytest.raises(CannotStart, match=f"Port {port} is taken"):
        claim_port("127.0.0.1", port)


def test_an_address_of_another_machine_is_told() -> None:
    with pytest.raises(CannotStart, match=r"Nothing can listen at port 0 of 203\.0\.113\.1"):
        claim_port("203.0.113.1", 0)


def test_a_state_folder_that_cannot_be_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(CannotStart, match="name another folder with --state"):
            claim_state(folder)


def test_a_state_folder_is_held_by_one(tmp_path: Path) -> None:
    with claim_state(tmp_path), pytest.raises(CannotStart, match="in use"):
        claim_state(tmp_path)
    claim_state(tmp_path).close()
