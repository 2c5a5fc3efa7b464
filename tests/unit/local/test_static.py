"""Static files: found, never stale, never from outside their folder."""

from pathlib import Path

import pytest
from aiohttp import web

from infra.local.static import serve_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "web" / "pieces").mkdir(parents=True)
    (tmp_path / "web" / "index.html").write_text("hello")
    (tmp_path / "web" / ".hidden").write_text("hidden")
    (tmp_path / "web" / "pieces" / "king.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("secret")
    return tmp_path / "web"


@pytest.mark.parametrize("path", ["/", "/index.html", "/pieces/king.svg"])
def test_a_file_is_served_and_must_be_asked_about_each_time(folder: Path, path: str) -> None:
    answer = serve_file(folder, path)
    assert isinstance(answer, web.FileResponse)
    assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/pieces", "/nothing.js", "/.hidden", "/a\0b", "//etc/passwd"]
)
def test_what_is_not_there_is_not_found(folder: Path, path: str) -> None:
    assert serve_file(folder, path).status == 404
