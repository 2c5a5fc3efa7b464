import pytest

from shared.gate.origins import is_allowed

OWN = ["https://tabiya.example", "http://localhost:8000/"]


@pytest.mark.parametrize(
    "origin", ["https://tabiya.example", "HTTPS://Tabiya.Example", "http://localhost:8000"]
)
def test_our_own_pages_may_connect(origin: str) -> None:
    assert is_allowed(origin, OWN)


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://tabiya.example",
        "https://tabiya.example:8443",
        "https://tabiya.example.evil.example",
        "https://sub.tabiya.example",
        "null",
        "",
        "*",
    ],
)
def test_other_peoples_pages_may_not(origin: str) -> None:
    assert not is_allowed(origin, OWN)


def test_an_app_sends_no_origin_and_may_connect() -> None:
    assert is_allowed(None, OWN)
    assert is_allowed(None, [])


@pytest.mark.parametrize("origin", ["https://anybody.example", "null"])
def test_an_operator_may_let_in_every_page(origin: str) -> None:
    assert is_allowed(origin, ["*"])


def test_an_empty_list_lets_in_no_page() -> None:
    assert not is_allowed("https://tabiya.example", [])
    assert not is_allowed("", [""])
