import pytest

from shared.gate.subprotocols import Offered, read_subprotocols


@pytest.mark.parametrize("header", ["tabiya.v1", " tabiya.v1 "])
def test_a_guest_offers_our_protocol_alone(header: str) -> None:
    assert read_subprotocols(header) == Offered()


@pytest.mark.parametrize(
    "header", ["tabiya.v1, abc.def", "tabiya.v1,abc.def", "tabiya.v1 ,\tabc.def"]
)
def test_the_token_is_the_second_value(header: str) -> None:
    assert read_subprotocols(header) == Offered("abc.def")


@pytest.mark.parametrize(
    "header",
    [None, "", ",", "abc.def", "abc.def, tabiya.v1", "tabiya.v2", "Tabiya.v1", "tabiya.v1,a,b"],
)
def test_what_does_not_begin_with_our_protocol_is_not_ours(header: str | None) -> None:
    assert read_subprotocols(header) is None
