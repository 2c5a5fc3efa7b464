"""What `make build` made runs by itself: each handler, from its folder and the two layers alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILT = ROOT / ".aws-sam" / "build"
FUNCTIONS = sorted(path.parent.name for path in (ROOT / "functions").glob("*/app.py"))

LOOK = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
import app
print(json.dumps({
    "callable": callable(app.handler),
    "modules": sorted(sys.modules),
    "files": [sys.modules[name].__file__ for name in ("app", "shared") if name in sys.modules],
}))
"""
"""Run without site-packages (-S) and without the tree or the user's own (-I)."""

SETTINGS = {
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "TABLES_TABLE": "tables",
    "CODES_TABLE": "codes",
    "CONNECTIONS_TABLE": "connections",
    "PLAYERS_TABLE": "players",
    "LIMITS_TABLE": "limits",
    "GAMES_TABLE": "games",
    "SETTINGS_TABLE": "settings",
    "TIMER_QUEUE_URL": "https://sqs.eu-west-1.amazonaws.com/1/timers",
    "CONNECTIONS_URL": "https://api.execute-api.eu-west-1.amazonaws.com/live",
    "PATIENCE_MS": "2000",
    "ABSENCE_MS": "60000",
    "ALLOWED_ORIGINS": "*",
    "POWERTOOLS_SERVICE_NAME": "tabiya",
    "POWERTOOLS_METRICS_NAMESPACE": "Tabiya",
}


@pytest.fixture(scope="module")
def built() -> Path:
    """Return the built artefact, fresh: `make build` does nothing when nothing has changed."""
    subprocess.run(["make", "--silent", "build"], cwd=ROOT, check=True, timeout=600)
    return BUILT


def imported(built: Path, function: str) -> dict[str, object]:
    """Return what importing a handler brings in, in an interpreter that has nothing else."""
    layers = [str(built / layer / "python") for layer in ("Dependencies", "Shared")]
    paths = [str(built / f"{function.capitalize()}Function"), *layers]
    told = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", LOOK, json.dumps(paths)],
        cwd=built,
        env=SETTINGS,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert told.returncode == 0, told.stderr
    found: dict[str, object] = json.loads(told.stdout.splitlines()[-1])
    return found


@pytest.mark.timeout(660)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_built_function_stands_alone(built: Path, function: str) -> None:
    found = imported(built, function)
    assert found["callable"] is True
    files = found["files"]
    assert isinstance(files, list)
    assert all(str(file).startswith(str(built)) for file in files)


@pytest.mark.timeout(660)
@pytest.mark.parametrize("function", ["authorize", "connect", "disconnect"])
def test_coming_and_going_does_not_wait_for_chess(built: Path, function: str) -> None:
    modules = imported(built, function)["modules"]
    assert isinstance(modules, list)
    assert "chess" not in modules


def test_every_module_is_shipped_compiled(built: Path) -> None:
    sources = [path for path in built.rglob("*.py") if path.stat().st_size]
    tag = sys.implementation.cache_tag
    bare = [
        str(path.relative_to(built))
        for path in sources
        if not (path.parent / "__pycache__" / f"{path.stem}.{tag}.pyc").exists()
    ]
    assert bare == []


@pytest.mark.usefixtures("built")
def test_building_asks_nobody_for_a_newer_tool() -> None:
    """SAM CLI notes when it asked last; it finds an instant far ahead and so never asks."""
    noted = json.loads((ROOT / ".venv-sam/home/metadata.json").read_text())
    assert noted["lastVersionCheck"] == 4102444800.0
    assert noted["telemetryEnabled"] is False
