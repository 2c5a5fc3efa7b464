"""One socket, without a socket: what goes out after a close, and who is waited for."""

import asyncio
from typing import Any, cast

import pytest

from infra.local.websocket import frames
from infra.local.websocket.session import Listener, Session


class Wire:
    """A transport that notes what is written to it."""

    def __init__(self) -> None:
        self.written = b""

    def write(self, data: bytes) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return False

    def close(self) -> None: ...


@pytest.fixture
async def wire() -> Wire:
    return Wire()


@pytest.fixture
async def session(wire: Wire) -> Session:
    nobody = Listener(lambda *_: None, lambda: None, lambda *_: None)
    return Session(cast("Any", None), cast("asyncio.Transport", wire), nobody, 0)


async def test_nothing_is_sent_after_the_close_frame(session: Session, wire: Wire) -> None:
    session.close(1000, "done")
    closed = wire.written
    session.send_text(b"too late")
    assert wire.written == closed
    session.abort()


async def test_a_client_that_was_given_up_is_not_waited_for_again(session: Session) -> None:
    session.send_text(b"one")
    assert session.is_unconfirmed
    pong = session.confirm()
    session.give_up()
    session.feed_data(masked_pong())
    await pong
    session.send_text(b"two")
    assert not session.is_unconfirmed


async def test_a_client_that_answers_is_waited_for_each_time(session: Session) -> None:
    for text in (b"one", b"two"):
        session.send_text(text)
        assert session.is_unconfirmed
        pong = session.confirm()
        assert not pong.done()
        session.feed_data(masked_pong())
        assert pong.done()
        assert not session.is_unconfirmed


def masked_pong() -> bytes:
    return bytes([0x80 | frames.PONG, 0x80]) + bytes(4)
