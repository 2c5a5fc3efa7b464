"""The handlers of the functions, loaded from their folders as Lambda does."""

import importlib.util
from pathlib import Path
from types import ModuleType

FUNCTIONS = Path(__file__).parents[2] / "functions"


def load(name: str) -> ModuleType:
    """The module of the function in that folder, anew."""
    path = FUNCTIONS / name / "app.py"
    spec = importlib.util.spec_from_file_location(f"app_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
