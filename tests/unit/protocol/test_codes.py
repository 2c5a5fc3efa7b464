import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.protocol.codes import ALPHABET, ENTROPY_BYTES, make_code, normalise_code


def test_the_alphabet_has_28_characters_and_no_two_that_look_alike() -> None:
    assert len(ALPHABET) == len(set(ALPHABET)) == 28
    assert not set(ALPHABET) & set("ILO01")
    for alike in ("2Z", "5S", "8B"):
        assert len(set(alike) & set(ALPHABET)) == 1


@given(st.binary(min_size=ENTROPY_BYTES, max_size=32))
def test_a_code_has_six_letters_and_is_its_own_normal_form(random_bytes: bytes) -> None:
    code = make_code(random_bytes)
    assert len(code) == 6
    assert normalise_code(code) == code


def test_every_letter_is_as_likely_as_another_in_every_place() -> None:
    chance = random.Random(1)
    codes = [make_code(chance.randbytes(ENTROPY_BYTES)) for _ in range(28_000)]
    for place in range(6):
        for letter in ALPHABET:
            assert 850 < sum(code[place] == letter for code in codes) < 1_150


def test_too_little_randomness_makes_no_code() -> None:
    with pytest.raises(ValueError, match="11"):
        make_code(bytes(ENTROPY_BYTES - 1))


@pytest.mark.parametrize(
    "typed",
    ["ABC346", "abc346", " abc 346 ", "AbC-346", "a-b-c-3-4-6", "abc\u2013346", "abc\u00a0346\n"],
)
def test_lower_case_spaces_and_hyphens_are_forgiven(typed: str) -> None:
    assert normalise_code(typed) == "ABC346"


@pytest.mark.parametrize(
    "pasted", ["https://chess.example/#ABC346", "http://localhost:8080/?lang=nl#abc346 ", "#ABC346"]
)
def test_a_pasted_link_is_as_good_as_its_code(pasted: str) -> None:
    assert normalise_code(pasted) == "ABC346"


def test_a_link_without_a_code_is_none() -> None:
    assert normalise_code("https://chess.example/ABC346") is None
    assert normalise_code("https://chess.example/ABC346#") is None


@pytest.mark.parametrize(
    "typed",
    ["", "ABC34", "ABC3467", "ABC34O", "ABC340", "ABC34I", "ABC341", "ABC34L", "ABC34é",
     "\u0131ABCDE", "\u017fABCDE", "AB_C34", "\ud800ABCDE"],
)  # fmt: skip
def test_what_cannot_be_a_code_is_none(typed: str) -> None:
    assert normalise_code(typed) is None
