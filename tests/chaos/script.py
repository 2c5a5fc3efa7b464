"""Histories as files: what was done, what befell whom, and how to live it again."""

import json
from pathlib import Path

from tests.chaos.config import dump, load
from tests.chaos.history import Script, Told

FOUND = Path(__file__).parent / "found"
KEPT = Path(__file__).parents[2] / ".local" / "chaos"


def write(told: Told, folder: Path = KEPT) -> Path:
    """A file that replays the history."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{told.script.config.seed}.json"
    wrong = str(told.broken)
    content = {
        "run": f"python -m tests.chaos.replay {path.name}",
        "promise": told.promise,
        "wrong": wrong[:500],
        "config": dump(told.script.config),
        "acts": told.script.acts,
        "fates": told.script.fates,
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return path


def read(path: Path) -> Script:
    """The script of a file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Script(load(content["config"]), content["acts"], content["fates"])
