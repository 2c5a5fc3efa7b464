import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.gate.guests import new_player_id


@given(st.sets(st.binary(min_size=12, max_size=12), min_size=2, max_size=8))
def test_every_guest_has_an_id_of_his_own(seeds: set[bytes]) -> None:
    ids = {new_player_id(seed) for seed in seeds}
    assert len(ids) == len(seeds)
    assert all(len(id) == 16 and id.replace("-", "A").replace("_", "A").isalnum() for id in ids)


@pytest.mark.parametrize("size", [0, 11, 13])
def test_nobody_is_made_of_another_amount_of_chance(size: int) -> None:
    with pytest.raises(ValueError, match=str(size)):
        new_player_id(bytes(size))
