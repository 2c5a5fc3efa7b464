"""Loads handlers into this process, each function's modules apart from the others'.

Many functions have an `app.py`, and a `helpers.py` beside it: what one function loaded is put
aside before the next one's is imported. Modules of layers are shared.
"""

import importlib
import sys
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

from infra.local.lambdas.handler import Handler, load_handler


class Loading:
    """Imports handlers; what was there before the first one is never touched."""

    def __init__(self, layers: Iterable[Path]) -> None:
        self._layers = tuple(layers)
        self._before = frozenset(sys.modules)
        self._code: set[Path] = set()
        self._lock = threading.Lock()

    def load(self, spelling: str, code: Path, layers: Sequence[Path]) -> Handler:
        """Return the handler that lies in the folder `code`; raises what its import raises."""
        with self._lock:
            self._put_aside(self._code)
            self._code.add(code)
            # First on the path, for what the handler imports only when it is called.
            own = [str(code), *(str(layer) for layer in (*self._layers, *layers))]
            sys.path[:] = [*own, *(entry for entry in sys.path if entry not in own)]
            importlib.invalidate_caches()
            return load_handler(spelling)

    def forget(self) -> None:
        """What functions and layers consist of is imported anew when it is next asked for."""
        with self._lock:
            self._put_aside({*self._code, *self._layers})

    def _put_aside(self, folders: Iterable[Path]) -> None:
        roots = tuple(str(folder) for folder in folders)
        for name in [one for one in sys.modules if one not in self._before]:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and _lies_in(Path(file), roots):
                del sys.modules[name]


def _lies_in(file: Path, roots: tuple[str, ...]) -> bool:
    return "site-packages" not in file.parts and any(file.is_relative_to(root) for root in roots)
