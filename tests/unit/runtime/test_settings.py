"""What a deployment tells its functions, and what holds where it says nothing."""

from collections.abc import Iterator

import pytest

from shared.game.table import Policy
from shared.runtime.settings import settings

MANAGEMENT = "AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """An environment that says nothing yet, read anew."""
    for name in ("PATIENCE_MS", "ABSENCE_MS", "ALLOWED_ORIGINS", "CONNECTIONS_URL", MANAGEMENT):
        monkeypatch.delenv(name, raising=False)
    settings.cache_clear()
    yield monkeypatch
    settings.cache_clear()


def test_patience_and_absence_are_the_designs_where_nothing_is_said() -> None:
    assert settings().policy == Policy(patience_ms=2_000, absence_ms=60_000)
    assert settings().allowed_origins == ("*",)


def test_an_operator_sets_patience_absence_and_origins(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("PATIENCE_MS", "500")
    environment.setenv("ABSENCE_MS", "120000")
    environment.setenv("ALLOWED_ORIGINS", "https://a.example,https://b.example")
    assert settings().policy == Policy(patience_ms=500, absence_ms=120_000)
    assert settings().allowed_origins == ("https://a.example", "https://b.example")


def test_connections_are_posted_to_where_the_template_says(
    environment: pytest.MonkeyPatch,
) -> None:
    environment.setenv("CONNECTIONS_URL", "https://api.example/live")
    assert settings().connections_url == "https://api.example/live"


def test_on_one_machine_botocores_own_variable_says_where(
    environment: pytest.MonkeyPatch,
) -> None:
    environment.setenv("CONNECTIONS_URL", "https://api.example/live")
    environment.setenv(MANAGEMENT, "http://127.0.0.1:1/live")
    assert settings().connections_url is None


def test_settings_are_read_once(environment: pytest.MonkeyPatch) -> None:
    settings()
    environment.setenv("PATIENCE_MS", "500")
    assert settings().policy.patience_ms == 2_000
