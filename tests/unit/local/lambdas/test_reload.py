"""Which files are looked at: what a handler may read, and nothing else."""

import asyncio
from pathlib import Path

from infra.local.lambdas.functions import Function, Functions
from infra.local.lambdas.reload import Watched, watch, watched_by
from infra.local.options import Options


def lay_out(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("")


def seen(watched: Watched, folder: Path) -> set[str]:
    return {str(Path(path).relative_to(folder)) for path in watched.stamps()}


def function(code: Path) -> Function:
    return Function("F", "f", "arn:f", "app.f", code, 3, 128, {})


def test_what_no_handler_reads_is_passed_over(tmp_path: Path) -> None:
    read = {"app.py", "deep/er/data.json", "page.html", "Makefile"}
    lay_out(
        tmp_path,
        *read,
        ".git/config",
        ".hidden.py",
        "__pycache__/app.pyc",
        "app.pyc",
        "app.py~",
        "app.swp",
        "node_modules/x/index.js",
        "tests/test_x.py",
        "venv/pyvenv.cfg",
        "venv/lib/x.py",
        "README.md",
        "state/tables.json",
        "web/index.html",
    )
    options = Options(layers=(tmp_path,), state=tmp_path / "state", static=tmp_path / "web")
    assert seen(watched_by(options, Functions({})), tmp_path) == read


def test_code_below_a_layer_is_looked_at_once_and_where_the_layer_does_not_reach(
    tmp_path: Path,
) -> None:
    lay_out(tmp_path, "functions/a/app.py", "tests/chat/app.py", "x.py")
    functions = Functions(
        {
            "A": function(tmp_path / "functions/a"),
            "B": function(tmp_path / "tests/chat"),
        }
    )
    watched = watched_by(Options(layers=(tmp_path,), state=tmp_path / "state"), functions)
    assert watched.folders == [tmp_path, tmp_path / "tests/chat"]
    assert seen(watched, tmp_path) == {"functions/a/app.py", "tests/chat/app.py", "x.py"}


def test_what_cannot_be_looked_at_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "broken.py").symlink_to(tmp_path / "nowhere")
    assert Watched([tmp_path, tmp_path / "gone"]).stamps() == {}


async def test_files_that_are_new_changed_or_gone_are_told(tmp_path: Path) -> None:
    lay_out(tmp_path, "a.py", "b.py")
    told: asyncio.Queue[list[Path]] = asyncio.Queue()
    watching = asyncio.create_task(watch(Watched([tmp_path]), told.put))
    await asyncio.sleep(0.1)
    (tmp_path / "a.py").write_text("x")
    assert await asyncio.wait_for(told.get(), 5) == [tmp_path / "a.py"]
    (tmp_path / "b.py").unlink()
    assert await asyncio.wait_for(told.get(), 5) == [tmp_path / "b.py"]
    lay_out(tmp_path, "c/d.py")
    assert await asyncio.wait_for(told.get(), 5) == [tmp_path / "c/d.py"]
    watching.cancel()
