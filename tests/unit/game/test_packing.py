"""What was packed comes back, and takes no more room than promised."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.game.packing import pack_move, pack_think, unpack_moves, unpack_thinks

BOARDS = st.sampled_from([64, 80, 100])


@given(st.data(), BOARDS)
def test_every_move_of_every_board_comes_back_from_two_bytes(
    data: st.DataObject, squares: int
) -> None:
    square = st.integers(0, squares - 1)
    moves = data.draw(st.lists(st.tuples(square, square, st.integers(0, 5)), max_size=30))

    packed = b"".join(pack_move(*move, squares) for move in moves)

    assert len(packed) == 2 * len(moves)
    assert unpack_moves(packed, squares) == moves


@given(st.lists(st.integers(0, 10**9).map(lambda units: 10 * units), max_size=60))
def test_think_times_come_back_to_ten_milliseconds(thinks: list[int]) -> None:
    assert unpack_thinks(b"".join(map(pack_think, thinks))) == thinks


@given(st.integers(0, 10**10))
def test_a_think_time_is_off_by_no_more_than_half_a_unit(think_ms: int) -> None:
    [unpacked] = unpack_thinks(pack_think(think_ms))

    assert abs(unpacked - think_ms) <= 5


@pytest.mark.parametrize(("think_ms", "size"), [(0, 1), (1_270, 1), (1_280, 2), (163_830, 2)])
def test_ordinary_think_times_take_one_or_two_bytes(think_ms: int, size: int) -> None:
    assert len(pack_think(think_ms)) == size
