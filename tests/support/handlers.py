"""The handlers of the functions, loaded from their folders as Lambda does."""

import importlib.util
from pathlib import Path
from types import ModuleType

FUNCTIONS = Path(__file__).parents[2] / "functions"
ROUTES = {
    "hello": "sync",
    "sync": "sync",
    "ping": "sync",
    "createTable": "lobby",
    "leaveTable": "lobby",
    "joinTable": "join",
    "move": "move",
}
"""Which function a message goes to; every other goes to `act`."""


def function_of(action: str) -> str:
    """The function that the message is routed to."""
    return ROUTES.get(action, "act")


def load(name: str) -> ModuleType:
    """The module of the function in that folder, anew."""
    path = FUNCTIONS / name / "app.py"
    spec = importlib.util.spec_from_file_location(f"app_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
