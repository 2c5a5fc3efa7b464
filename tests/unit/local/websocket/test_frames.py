"""WebSocket frames by RFC 6455, with the limits of fact A5."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.websocket import frames
from infra.local.websocket.frames import Closing, FrameReader, Ping, Pong, Text, Violation

MASK = b"\x01\x02\x03\x04"


def client_frame(opcode: int, payload: bytes, *, is_final: bool = True) -> bytes:
    first = (0x80 if is_final else 0) | opcode
    length = len(payload)
    if length < 126:
        head = bytes((first, 0x80 | length))
    elif length < 65536:
        head = struct.pack("!BBH", first, 0x80 | 126, length)
    else:
        head = struct.pack("!BBQ", first, 0x80 | 127, length)
    return head + MASK + bytes(byte ^ MASK[n % 4] for n, byte in enumerate(payload))


def read(data: bytes) -> list[frames.Received]:
    return FrameReader().feed(data)


@given(
    texts=st.lists(st.text(max_size=300), max_size=5),
    cuts=st.lists(st.integers(min_value=1, max_value=50), max_size=40),
)
def test_messages_come_out_whole_however_the_bytes_arrive(
    texts: list[str], cuts: list[int]
) -> None:
    data = b"".join(client_frame(frames.TEXT, text.encode()) for text in texts)
    reader, received = FrameReader(), list[frames.Received]()
    for cut in cuts:
        received += reader.feed(data[:cut])
        data = data[cut:]
    received += reader.feed(data)
    assert received == [Text(text) for text in texts]


def test_a_message_in_pieces_is_one_message_and_a_ping_may_come_between() -> None:
    data = (
        client_frame(frames.TEXT, b"one ", is_final=False)
        + client_frame(frames.PING, b"?")
        + client_frame(frames.CONTINUATION, b"two")
    )
    assert read(data) == [Ping(b"?"), Text("one two")]


@pytest.mark.fact("A5.frame", "A5.message")
def test_a5_the_largest_frame_and_the_largest_message_pass() -> None:
    piece = b"x" * frames.FRAME_LIMIT
    data = client_frame(frames.TEXT, piece, is_final=False)
    data += client_frame(frames.CONTINUATION, piece, is_final=False) * 2
    data += client_frame(frames.CONTINUATION, piece)
    (whole,) = read(data)
    assert isinstance(whole, Text)
    assert whole.data == piece.decode() * 4


@pytest.mark.fact("A5.frame", "A5.message", "A5.close.1009")
@pytest.mark.parametrize(
    "data",
    [
        client_frame(frames.TEXT, b"x" * (frames.FRAME_LIMIT + 1))[:20],
        client_frame(frames.TEXT, b"x" * 65_536)[:20],
        client_frame(frames.TEXT, b"x" * frames.FRAME_LIMIT, is_final=False)
        + client_frame(frames.CONTINUATION, b"x" * frames.FRAME_LIMIT, is_final=False) * 3
        + client_frame(frames.CONTINUATION, b"x"),
    ],
)
def test_a5_too_large_is_1009_before_it_has_all_arrived(data: bytes) -> None:
    assert read(data)[-1] == frames.TOO_BIG
    assert frames.TOO_BIG.code == 1009


@pytest.mark.fact("A5.close.1003")
def test_a5_binary_is_1003() -> None:
    (violation,) = read(client_frame(frames.BINARY, b"x"))
    assert isinstance(violation, Violation)
    assert violation.code == 1003


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x81\x01x", 1002),  # not masked
        (b"\xc1\x80" + MASK, 1002),  # a reserved bit, as for compression
        (client_frame(0x3, b""), 1002),
        (client_frame(frames.CONTINUATION, b""), 1002),
        (client_frame(frames.TEXT, b"a", is_final=False) + client_frame(frames.TEXT, b"b"), 1002),
        (client_frame(frames.PING, b"", is_final=False), 1002),
        (client_frame(frames.CLOSE, b"\x03"), 1002),
        (client_frame(frames.TEXT, b"\xff"), 1007),
    ],
)
def test_what_breaks_the_protocol_is_refused_with_its_code(data: bytes, code: int) -> None:
    violation = read(data)[-1]
    assert isinstance(violation, Violation)
    assert violation.code == code


def test_nothing_is_read_after_a_violation_or_a_close() -> None:
    reader = FrameReader()
    assert reader.feed(client_frame(frames.CLOSE, b"\x03\xe8bye")) == [Closing(1000, "bye")]
    assert reader.feed(client_frame(frames.TEXT, b"more")) == []


@pytest.mark.fact("A1.disconnect.1005")
def test_a1_a_close_frame_without_a_status_is_1005() -> None:
    assert read(client_frame(frames.CLOSE, b"")) == [
        Closing(1005, "Client-side close frame status not set")
    ]


def test_a_pong_comes_back_with_its_payload() -> None:
    assert read(client_frame(frames.PONG, b"settle")) == [Pong(b"settle")]


@pytest.mark.parametrize("length", [0, 125, 126, 65_535, 65_536])
def test_an_outgoing_frame_says_its_length_in_the_shortest_form(length: int) -> None:
    frame = frames.text_frame(b"x" * length)
    assert frame[0] == 0x81
    assert frame.endswith(b"x" * length)
    assert len(frame) - length == (2 if length < 126 else 4 if length < 65_536 else 10)


@pytest.mark.parametrize("code", [1000, 1001, 1003, 1007, 1014, 3000, 4999])
def test_codes_that_a_client_may_send_are_told(code: int) -> None:
    payload = struct.pack("!H", code) + b"bye"
    assert read(client_frame(frames.CLOSE, payload)) == [Closing(code, "bye")]


@pytest.mark.parametrize("code", [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535])
def test_codes_that_nobody_may_send_are_a_protocol_error(code: int) -> None:
    received = read(client_frame(frames.CLOSE, struct.pack("!H", code)))
    assert received == [frames.PROTOCOL_ERROR]


def test_a_control_frame_is_no_part_of_the_message_it_comes_between() -> None:
    piece = b"x" * frames.FRAME_LIMIT
    data = client_frame(frames.TEXT, piece, is_final=False)
    data += client_frame(frames.CONTINUATION, piece, is_final=False) * 3
    data += client_frame(frames.PING, b"?") + client_frame(frames.CONTINUATION, b"")
    assert read(data) == [Ping(b"?"), Text("x" * frames.MESSAGE_LIMIT)]
