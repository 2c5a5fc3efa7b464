"""Finds a Chromium for the browser tests, and fetches one when there is none.

`python -m infra.tools.browser` prints its path, or one line saying what to install.
Knows nothing of the tests; they call `find_browser`.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_browser() -> str | None:
    """Return the path of a browser that starts on this machine, or None."""
    return next((path for path in _candidates() if _starts(path)), None)


def install_browser() -> None:
    """Fetch Debian's Chromium as root; otherwise, or where that fails, Playwright's own."""
    steps = [_from_debian, _from_playwright] if os.geteuid() == 0 else [_from_playwright]
    print("Fetching Chromium ...", file=sys.stderr)
    for step in steps:
        if _succeeds(step) and find_browser():
            return


def _candidates() -> Iterator[str]:
    yield from filter(None, map(shutil.which, NAMES))
    downloaded = _where_playwright_puts_its_own()
    if Path(downloaded).exists():
        yield downloaded


def _where_playwright_puts_its_own() -> str:
    """Return the path, asked for in a process of its own: a test may be running an event loop."""
    ask = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as p: print(p.chromium.executable_path)"
    )
    told = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return told.stdout.strip()


def _starts(path: str) -> bool:
    """Return whether the browser runs: a download may lack its libraries, Ubuntu's is a shim."""
    asked = subprocess.run([path, "--version"], capture_output=True, check=False, timeout=60)
    return asked.returncode == 0


def _from_debian() -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "update", "-qq"], environment)
    _run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], environment)


def _from_playwright() -> None:
    _run(
        [sys.executable, "-m", "playwright", "install", "chromium", "--no-shell"], dict(os.environ)
    )


def _run(command: list[str], environment: dict[str, str]) -> None:
    subprocess.run(command, check=True, env=environment, capture_output=True)


def _succeeds(step: Callable[[], None]) -> bool:
    """Return whether the step went well; if not, what to install is all there is to say."""
    try:
        step()
    except (subprocess.CalledProcessError, FileNotFoundError):
        return False
    return True


def main() -> int:
    """Print the path of a browser, fetched if need be; return the exit status."""
    if not find_browser():
        install_browser()
    path = find_browser()
    if path is None:
        print(
            "No Chromium runs here: install one, on Debian with: apt install chromium",
            file=sys.stderr,
        )
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
