import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.game.ids import PlayerId
from shared.gate.guests import new_player_id
from shared.gate.tokens import SignedTokens

PLAYER = PlayerId("Zq3vR8xT1mKd_-7a")
TOKEN_CHARACTERS = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""RFC 7230 3.2.6: what a sub-protocol may be made of."""


def tokens(*keys: bytes) -> SignedTokens:
    return SignedTokens(lambda: keys)


@given(st.binary(min_size=12, max_size=12), st.binary(min_size=16, max_size=64))
def test_a_token_brings_back_its_player_and_fits_the_handshake(random: bytes, key: bytes) -> None:
    player = new_player_id(random)
    token = tokens(key).sign(player)
    assert tokens(key).read(token) == player
    assert TOKEN_CHARACTERS.fullmatch(token)


def test_a_token_of_an_older_key_still_counts_until_the_key_is_gone() -> None:
    token = tokens(b"first").sign(PLAYER)
    assert tokens(b"first", b"second").read(token) == PLAYER
    assert tokens(b"second").read(token) is None


def test_the_newest_key_signs() -> None:
    token = tokens(b"first", b"second").sign(PLAYER)
    assert tokens(b"second").read(token) == PLAYER
    assert tokens(b"first").read(token) is None


def test_keys_are_asked_for_anew_each_time() -> None:
    keys = [b"first"]
    signed = SignedTokens(lambda: keys)
    token = signed.sign(PLAYER)
    keys[:] = [b"second"]
    assert signed.read(token) is None


def test_a_signature_speaks_for_its_own_player_only() -> None:
    token = tokens(b"key").sign(PLAYER)
    assert tokens(b"key").read("A" + token[1:]) is None


@pytest.mark.parametrize("place", range(17, 59))
def test_a_changed_signature_is_nobodys(place: int) -> None:
    token = tokens(b"key").sign(PLAYER)
    other = "A" if token[place] != "A" else "B"
    assert tokens(b"key").read(token[:place] + other + token[place + 1 :]) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda _: "",
        lambda token: token + "A",
        lambda token: token + "\n",
        lambda token: token[:-1],
        lambda token: token.partition(".")[0],
        lambda token: token * 1_000,
        lambda token: token.replace(".", ""),
        lambda token: "\ud800" + token[1:],
        lambda token: "é" + token[1:],
    ],
)
def test_what_is_malformed_is_nobodys(change: object) -> None:
    assert callable(change)
    assert tokens(b"key").read(change(tokens(b"key").sign(PLAYER))) is None


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_at_all_is_nobodys_token_and_raises_nothing(text: str) -> None:
    assert tokens(b"key").read(text) is None


@given(st.text("ABCabc019_-", min_size=16, max_size=16), st.text("Aa9_-", min_size=43, max_size=43))
def test_the_right_shape_alone_opens_nothing(player: str, signature: str) -> None:
    assert tokens(b"key").read(f"{player}.{signature}") is None
