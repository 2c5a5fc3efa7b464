"""People at browsers: what a player does with the page, and what he sees of it.

Knows the page as a person does, by its words, squares and buttons; nothing of messages.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, FloatRect, Locator, Page, sync_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
STEPS = 4
"""Pointer events on the way of a dragged man."""


@contextmanager
def chromium(path: str) -> Iterator[Browser]:
    """A headless browser with a fresh profile."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Person:
    """Somebody with a browser of his own; `troubles` are the errors that his page had."""

    page: Page
    troubles: list[str] = field(default_factory=list)

    @classmethod
    def arrives(cls, browser: Browser, url: str, **context: Any) -> "Person":  # noqa: ANN401 - Playwright's own options
        """A person who has just opened the page."""
        person = cls(browser.new_context(**context).new_page())
        person.page.on("pageerror", lambda error: person.troubles.append(str(error)))
        person.page.goto(url)
        return person

    def makes_table(self, colour: str) -> str:
        """Makes a table with the clocks that are chosen beforehand; returns its link."""
        self.page.check(f"input[name=colour][value={colour}]", force=True)
        self.page.click("#create button")
        self.sees("#waiting")
        return self.page.input_value("#waiting-link")

    def follows(self, link: str) -> None:
        """Opens a link to a table, and sits there."""
        self.page.goto("about:blank")
        self.page.goto(link)
        self.sees("#board")

    def reloads(self) -> None:
        """Loads the page anew, and is back at the board."""
        self.page.reload()
        self.sees("#board")

    def sees(self, selector: str) -> None:
        """Waits until it is there to be seen."""
        self.page.wait_for_selector(f"{selector}:not([hidden])", state="visible")

    def is_to_move(self) -> None:
        """Waits until the page says that it is his move."""
        self.sees('#verdict[data-tone="ours"]')

    def sees_moves(self, count: int) -> None:
        """Waits until the list has so many half-moves."""
        self.page.wait_for_function(
            "count => document.querySelectorAll('#moves span').length === count", arg=count
        )

    def clicks(self, uci: str) -> None:
        """Makes a move by clicking on its two squares."""
        self._square(uci[:2]).click()
        self._square(uci[2:4]).click()
        self._promotes(uci[4:])

    def drags(self, uci: str) -> None:
        """Makes a move by dragging the man."""
        mouse = self.page.mouse
        mouse.move(*self._middle(uci[:2]))
        mouse.down()
        mouse.move(*self._middle(uci[2:4]), steps=STEPS)
        mouse.up()
        self._promotes(uci[4:])

    def presses(self, text: str) -> None:
        """Presses the button with these words."""
        self.page.get_by_role("button", name=text, exact=True).click()

    def man_on(self, square: str) -> str:
        """The letter of the man that he sees on a square; empty: none."""
        return self._square(square).get_attribute("data-man") or ""

    def placement(self) -> dict[str, str]:
        """Every man that he sees, by square."""
        men: dict[str, str] = self.page.evaluate(
            "() => Object.fromEntries([...document.querySelectorAll('#board .square')]"
            ".filter(({ dataset }) => dataset.man)"
            ".map(({ dataset }) => [dataset.square, dataset.man]))"
        )
        return men

    def reads(self, selector: str) -> str:
        """The words that stand there, in one line."""
        return " ".join(self.page.inner_text(selector).split())

    def waits_for_result(self) -> str:
        """The result and its reason, once there is one."""
        self.page.wait_for_function(
            "() => ['won', 'lost', 'draw'].includes("
            "document.querySelector('#verdict').dataset.tone)"
        )
        return self.reads("#verdict")

    def photographs(self, path: Path) -> None:
        """A picture of the window."""
        self.page.screenshot(path=path)

    def _square(self, name: str) -> Locator:
        return self.page.locator(f'#board [data-square="{name}"]')

    def _middle(self, name: str) -> tuple[float, float]:
        box: FloatRect | None = self._square(name).bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def _promotes(self, letter: str) -> None:
        if letter:
            self.page.click(f"#promotion button[value={letter}]")
