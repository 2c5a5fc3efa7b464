from hypothesis import given
from hypothesis import strategies as st

from shared.store.varint import pack_varint, unpack_varint


@given(st.lists(st.integers(0, 2**70)))
def test_numbers_one_after_the_other_come_back(numbers: list[int]) -> None:
    packed, at, found = b"".join(map(pack_varint, numbers)), 0, []
    while at < len(packed):
        number, at = unpack_varint(packed, at)
        found.append(number)

    assert found == numbers


def test_a_number_below_128_takes_one_byte_and_one_below_16384_two() -> None:
    assert [len(pack_varint(number)) for number in (0, 127, 128, 16_383, 16_384)] == [1, 1, 2, 2, 3]
