"""Code that stands in the template itself: laid out as Lambda does, in a module called `index`."""

from pathlib import Path
from typing import Final

FILE: Final = "index.py"


def laid_out(logical_id: str, source: str, scratch: Path) -> Path:
    """Return the folder that now holds the function's code, and nothing else."""
    folder = (scratch / "inline" / logical_id).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(source, encoding="utf-8")
    return folder
